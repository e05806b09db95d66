// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.HostPinner;
import java.util.function.BooleanSupplier;

/**
 * Host memory that is pinned for a device, and whether it may be unmapped once this is closed. Not
 * thread-safe.
 */
public final class DevicePin implements HostPinner.Pin {
  private final BooleanSupplier isLeftBehind;
  private final DeviceMemory memory;
  private boolean stays;

  /**
   * Pins {@code sizeBytes} from {@code address} on for {@code device}. May wait for all work of the
   * device.
   */
  public DevicePin(DeviceAdaptor device, long address, long sizeBytes) {
    isLeftBehind = device.leavesBehind();
    memory = device.register(address, sizeBytes);
  }

  /** What is pinned, as the device sees it. */
  public DeviceMemory memory() {
    return memory;
  }

  /**
   * Unpins, unless a taint has the device leave the memory behind. Asked before, as a taint may end
   * meanwhile, and after, as one may begin, which then lasts.
   */
  @Override
  public void close() {
    stays |= isLeftBehind.getAsBoolean();
    memory.close();
    stays |= isLeftBehind.getAsBoolean();
  }

  @Override
  public boolean staysPinned() {
    return stays;
  }
}
