// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.MemoryBlock;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * An arena of the communicator. It grows, between operations, to what the largest plan so far
 * needs.
 */
public final class Arena implements AutoCloseable {
  private static final long SMALLEST_BYTES = 64 << 10;

  private final LongFunction<DeviceMemory> allocate;
  private DeviceMemory memory;

  /** An arena of the memory that {@code allocate} gives for a number of bytes. */
  public Arena(LongFunction<DeviceMemory> allocate) {
    this.allocate = allocate;
  }

  /** Address of at least {@code sizeBytes}; what an earlier call gave is no longer valid. */
  public long reserve(long sizeBytes) {
    if (sizeBytes > 0 && (memory == null || memory.sizeBytes() < sizeBytes)) {
      close();
      memory = allocate.apply(Math.max(sizeBytes, SMALLEST_BYTES));
    }
    return memory == null ? 0 : memory.address();
  }

  /** The allocation that it is now, until it grows. */
  public Optional<DeviceMemory> memory() {
    return Optional.ofNullable(memory);
  }

  /** What fabrics may register of it, until it grows. */
  Optional<MemoryBlock> block() {
    return Optional.ofNullable(memory).map(DeviceMemory::block);
  }

  /** How large it is now. */
  long sizeBytes() {
    return memory == null ? 0 : memory.sizeBytes();
  }

  @Override
  public void close() {
    if (memory != null) {
      memory.close();
      memory = null;
    }
  }
}
