// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.MemoryKind;
import io.tombolo.base.NativeMemory;
import java.util.function.BooleanSupplier;

/** A block of the host device: a {@link NativeMemory} of its own. */
final class HostMemory implements DeviceMemory {
  private final NativeMemory block;
  private final long address;
  private final Allocations allocations;
  private final BooleanSupplier isLeftBehind;
  private final MemoryBlock exported;

  /**
   * Owns {@code block}, which is freed unless it {@code isLeftBehind}, and may be among {@code
   * allocations}.
   */
  HostMemory(NativeMemory block, Allocations allocations, BooleanSupplier isLeftBehind) {
    this.block = block;
    this.address = block.address();
    this.allocations = allocations;
    this.isLeftBehind = isLeftBehind;
    this.exported =
        new MemoryBlock(block.sizeBytes(), () -> new MemoryExport.Host(block.address()));
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
  public MemoryBlock block() {
    return exported;
  }

  @Override
  public void close() {
    if (!isLeftBehind.getAsBoolean()) {
      exported.freed();
      allocations.remove(address, this);
      block.close();
    }
  }
}
