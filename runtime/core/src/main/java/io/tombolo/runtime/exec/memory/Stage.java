// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.DeviceAdaptor;

/**
 * Pinned host memory where messages and arithmetic are done, as channels see it; it grows as an
 * {@link Arena} does.
 */
public final class Stage implements AutoCloseable {
  private final Arena arena;
  private HostWindow window = new HostWindow(0, 0);

  /** A stage that {@code device} reaches. */
  public Stage(DeviceAdaptor device) {
    arena = new Arena(device::allocatePinned);
  }

  /** At least {@code sizeBytes}; what an earlier call gave is valid as long as it is the same. */
  public HostWindow reserve(long sizeBytes) {
    long address = arena.reserve(sizeBytes);
    if (address != window.address() || arena.sizeBytes() != window.sizeBytes()) {
      window = new HostWindow(address, arena.sizeBytes(), arena.block());
    }
    return window;
  }

  @Override
  public void close() {
    arena.close();
  }
}
