// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.HostPinner;

/**
 * Pins what fabrics are opened with. What they use later is left as it is: channels open while
 * streams are held, and registering memory might wait for those streams.
 */
final class SlotPins implements HostPinner {
  private final DeviceAdaptor device;
  private volatile boolean sealed;

  SlotPins(DeviceAdaptor device) {
    this.device = device;
  }

  @Override
  public Pin pin(long address, long sizeBytes) {
    if (sealed) {
      return () -> {};
    }
    DeviceMemory pinned = device.register(address, sizeBytes);
    return pinned::close;
  }

  /** From now on nothing is pinned. */
  void seal() {
    sealed = true;
  }
}
