// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import static com.google.common.base.Preconditions.checkState;

import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryKind;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** Memory of a collective library's own, which members can register. */
final class LibraryMemory implements DeviceMemory {
  private final CclLibrary library;
  private final BooleanSupplier isLeftBehind;
  private final long handle;
  private final long address;
  private final MemoryBlock block;
  private final AtomicBoolean closed = new AtomicBoolean();

  private LibraryMemory(
      CclLibrary library, OnDevice device, long handle, long address, long sizeBytes) {
    this.library = library;
    this.isLeftBehind = device.leavesBehind();
    this.handle = handle;
    this.address = address;
    this.block = new MemoryBlock(sizeBytes, () -> device.export(this));
  }

  /** {@code sizeBytes} from {@code library}, which works on {@code device}. */
  static LibraryMemory allocate(CclLibrary library, OnDevice device, long sizeBytes) {
    long[] made = new long[2];
    library.check(
        CclNative.allocate0(library.handle(), sizeBytes, made),
        library.handle(),
        "allocating " + sizeBytes + " bytes");
    return new LibraryMemory(library, device, made[0], made[1], sizeBytes);
  }

  /** Stale once this is closed. */
  long handle() {
    return handle;
  }

  @Override
  public long address() {
    checkState(!closed.get(), "this memory is closed");
    return address;
  }

  @Override
  public long sizeBytes() {
    return block.sizeBytes();
  }

  /** Who takes it for the device's is right, wherever the library has it from. */
  @Override
  public MemoryKind kind() {
    return MemoryKind.DEVICE;
  }

  @Override
  public MemoryBlock block() {
    return block;
  }

  /** Works after the library and its communicators were closed, too. */
  @Override
  public void close() {
    if (!isLeftBehind.getAsBoolean() && closed.compareAndSet(false, true)) {
      block.freed();
      library.check(CclNative.free0(handle), library.handle(), "giving memory back");
    }
  }
}
