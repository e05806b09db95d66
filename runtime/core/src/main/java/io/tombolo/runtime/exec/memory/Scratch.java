// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import java.util.Optional;

/**
 * Device memory for what lies between a program's steps, or for small calls that are made one.
 *
 * @param memory the allocation; none where nothing was asked for
 * @param address where it begins
 * @param sizeBytes its size
 */
public record Scratch(Optional<DeviceMemory> memory, long address, long sizeBytes)
    implements Block {
  /** For tasks that need none. */
  static final Scratch NONE = new Scratch(Optional.empty(), 0, 0);

  /** New memory of {@code device}. */
  static Scratch of(DeviceAdaptor device, long sizeBytes) {
    DeviceMemory memory = device.allocatePooled(sizeBytes);
    return new Scratch(Optional.of(memory), memory.address(), sizeBytes);
  }

  @Override
  public void close() {
    memory.ifPresent(DeviceMemory::close);
  }
}
