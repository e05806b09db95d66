package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.MemoryKind;
import java.util.concurrent.atomic.AtomicBoolean;

/** Memory that a {@link DeviceRuntime} made, registered or opened. */
final class RuntimeMemory implements DeviceMemory {
  private final long handle;
  private final long sizeBytes;
  private final MemoryKind kind;
  private final AtomicBoolean tainted;

  /** Memory behind {@code handle}, which is never freed once its device is {@code tainted}. */
  RuntimeMemory(long handle, long sizeBytes, MemoryKind kind, AtomicBoolean tainted) {
    this.handle = handle;
    this.sizeBytes = sizeBytes;
    this.kind = kind;
    this.tainted = tainted;
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
  public void close() {
    if (!tainted.get()) {
      DeviceLibrary.closeMemory(handle);
    }
  }
}
