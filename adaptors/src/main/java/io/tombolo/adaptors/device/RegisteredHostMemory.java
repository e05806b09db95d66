// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.MemoryKind;

/**
 * Someone else's host memory, known to the host device: there is nothing to pin and nothing to
 * free.
 */
final class RegisteredHostMemory implements DeviceMemory {
  private final long address;
  private final long sizeBytes;
  private final MemoryBlock block;
  private volatile boolean closed;

  RegisteredHostMemory(long address, long sizeBytes) {
    this.address = address;
    this.sizeBytes = sizeBytes;
    this.block = new MemoryBlock(sizeBytes, () -> new MemoryExport.Host(address));
  }

  @Override
  public long address() {
    if (closed) {
      throw new IllegalStateException("this memory is closed");
    }
    return address;
  }

  @Override
  public long sizeBytes() {
    return sizeBytes;
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
    closed = true;
  }
}
