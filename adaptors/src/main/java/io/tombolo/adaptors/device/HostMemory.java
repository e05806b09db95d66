package io.tombolo.adaptors.device;

import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.MemoryKind;
import io.tombolo.base.NativeMemory;

/** A block of the host device: a {@link NativeMemory} of its own. */
final class HostMemory implements DeviceMemory {
  private final NativeMemory block;

  HostMemory(NativeMemory block) {
    this.block = block;
  }

  @Override
  public long address() {
    return block.address();
  }

  @Override
  public long sizeBytes() {
    return block.sizeBytes();
  }

  @Override
  public MemoryKind kind() {
    return MemoryKind.PINNED;
  }

  @Override
  public void close() {
    block.close();
  }
}
