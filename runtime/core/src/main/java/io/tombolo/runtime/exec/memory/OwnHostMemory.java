// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.MemoryKind;
import io.tombolo.base.NativeMemory;

/**
 * Memory for tasks on the host, as the host device would make it; but a failure does not keep it,
 * as the {@link BlockPool} knows whether anybody may still write there. Other devices' memory stays
 * theirs: to free it may wait for work that has failed.
 */
final class OwnHostMemory implements DeviceMemory {
  private static final long HUGE_FROM_BYTES = 4L << 20;

  private final NativeMemory memory;
  private final MemoryBlock block;

  private OwnHostMemory(NativeMemory memory) {
    this.memory = memory;
    this.block = new MemoryBlock(memory.sizeBytes(), () -> new MemoryExport.Host(memory.address()));
  }

  /** New memory, large ones in huge pages: other ranks look up every page of it. */
  static OwnHostMemory allocate(long sizeBytes) {
    NativeMemory memory = NativeMemory.allocate(sizeBytes);
    if (sizeBytes >= HUGE_FROM_BYTES) {
      memory.preferHugePages();
    }
    return new OwnHostMemory(memory);
  }

  @Override
  public long address() {
    return memory.address();
  }

  @Override
  public long sizeBytes() {
    return memory.sizeBytes();
  }

  @Override
  public MemoryKind kind() {
    return MemoryKind.PINNED;
  }

  @Override
  public MemoryBlock block() {
    return block;
  }

  @Override
  public void close() {
    block.freed();
    memory.close();
  }
}
