// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryKind;
import java.util.function.BooleanSupplier;

/** Memory that a {@link DeviceRuntime} made, registered or opened. */
final class RuntimeMemory implements DeviceMemory {
  private final long handle;
  private final long address;
  private final long sizeBytes;
  private final MemoryKind kind;
  private final RuntimeDevice device;
  private final MemoryBlock block;
  private final BooleanSupplier isLeftBehind;

  /** Memory behind {@code handle}, made just now; a taint of its {@code device} keeps it. */
  RuntimeMemory(RuntimeDevice device, long handle, long sizeBytes, MemoryKind kind) {
    this.device = device;
    this.handle = handle;
    this.address = DeviceLibrary.address(handle);
    this.sizeBytes = sizeBytes;
    this.kind = kind;
    this.isLeftBehind = device.leavesBehind();
    this.block = new MemoryBlock(sizeBytes, () -> device.export(this));
  }

  static long handleOf(DeviceMemory memory) {
    checkArgument(memory instanceof RuntimeMemory, "memory of another kind of device: %s", memory);
    return ((RuntimeMemory) memory).handle;
  }

  @Override
  public long address() {
    return DeviceLibrary.address(handle);
  }

  @Override
  public long sizeBytes() {
    return sizeBytes;
  }

  @Override
  public MemoryKind kind() {
    return kind;
  }

  @Override
  public MemoryBlock block() {
    return block;
  }

  @Override
  public void close() {
    if (!isLeftBehind.getAsBoolean()) {
      block.freed();
      device.forget(address, this);
      DeviceLibrary.closeMemory(handle);
    }
  }
}
