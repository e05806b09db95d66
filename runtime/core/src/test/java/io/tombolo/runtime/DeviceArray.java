// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import java.nio.ByteBuffer;
import java.time.Duration;

/** A piece of device memory with the host's copy of it beside it, which a test fills and reads. */
final class DeviceArray implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final DeviceAdaptor device;
  private final DeviceMemory memory;
  private final PinnedStage stage;
  private final ByteBuffer bytes;

  DeviceArray(DeviceAdaptor device, Stream stream, int sizeBytes) {
    this.device = device;
    this.memory = device.allocate(sizeBytes);
    this.stage = new PinnedStage(device, stream, sizeBytes, LIMIT);
    this.bytes = stage.bytes();
  }

  long address() {
    return memory.address();
  }

  /** The first {@code count} elements, for calls. */
  DeviceBuffer buffer(DataType type, long count) {
    return DeviceBuffer.of(device, memory, type).slice(0, count);
  }

  /** The host's copy, from its beginning; {@link #upload} and {@link #download} move it. */
  ByteBuffer bytes() {
    return bytes.clear();
  }

  void upload() {
    stage.write(memory.address(), memory.sizeBytes());
  }

  void download() {
    stage.read(memory.address(), memory.sizeBytes());
  }

  @Override
  public void close() {
    stage.close();
    memory.close();
  }
}
