package io.tombolo.runtime;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.NativeMemory;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;

/**
 * A piece of device memory that a test fills and reads through pinned host memory, as any host
 * program must.
 */
final class DeviceArray implements AutoCloseable {
  private final DeviceAdaptor device;
  private final Stream stream;
  private final NativeMemory host;
  private final DeviceMemory pinned;
  private final DeviceMemory memory;

  DeviceArray(DeviceAdaptor device, Stream stream, long sizeBytes) {
    this.device = device;
    this.stream = stream;
    this.host = NativeMemory.allocate(sizeBytes);
    this.pinned = device.register(host.address(), sizeBytes);
    this.memory = device.allocate(sizeBytes);
  }

  long address() {
    return memory.address();
  }

  /** The host's copy; {@link #upload} and {@link #download} move it. */
  ByteBuffer bytes() {
    return host.view(0, (int) host.sizeBytes());
  }

  void upload() {
    device.copyAsync(
        CopyDirection.HOST_TO_DEVICE, memory.address(), host.address(), host.sizeBytes(), stream);
    drain();
  }

  void download() {
    device.copyAsync(
        CopyDirection.DEVICE_TO_HOST, host.address(), memory.address(), host.sizeBytes(), stream);
    drain();
  }

  private void drain() {
    while (!stream.isIdle()) {
      LockSupport.parkNanos(20_000);
    }
  }

  @Override
  public void close() {
    memory.close();
    pinned.close();
    host.close();
  }
}
