// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import java.util.Optional;

/**
 * Pinned host memory where messages and arithmetic are done.
 *
 * @param memory the allocation; none where nothing was asked for
 * @param window it as channels see it
 */
public record Stage(Optional<DeviceMemory> memory, HostWindow window) implements Block {
  /** For tasks that need none. */
  static final Stage NONE = new Stage(Optional.empty(), new HostWindow(0, 0));

  /** A new stage that {@code device} reaches. */
  static Stage of(DeviceAdaptor device, long sizeBytes) {
    DeviceMemory memory = device.allocatePinnedPooled(sizeBytes);
    return new Stage(
        Optional.of(memory),
        new HostWindow(memory.address(), sizeBytes, Optional.of(memory.block()), device.isHost()));
  }

  @Override
  public long sizeBytes() {
    return window.sizeBytes();
  }

  @Override
  public void close() {
    memory.ifPresent(DeviceMemory::close);
  }
}
