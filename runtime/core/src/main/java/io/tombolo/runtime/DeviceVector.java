// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.work.Work;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;

/**
 * Elements in device memory that a Java program fills and reads, with a stream of their own: the
 * shortest way to a first collective call. Each transfer goes through pinned host memory and is
 * waited for; a program that cares for speed keeps {@link DeviceBuffer}s and streams itself. Not
 * thread-safe.
 *
 * <p>After a call on these elements has failed, close this only if {@link Work#buffersReleased}.
 */
public final class DeviceVector implements AutoCloseable {
  private final DeviceBuffer buffer;
  private final Stream stream;
  private final DeviceMemory memory;
  private final PinnedStage stage;

  /**
   * {@code count} elements on {@code device}, less than 2 GiB; contents are undefined.
   *
   * @param timeout how long one transfer may take
   */
  public DeviceVector(DeviceAdaptor device, int count, DataType type, Duration timeout) {
    int sizeBytes = sizeBytes(count, type);
    try (CloseStack opened = new CloseStack()) {
      stream = opened.opened(device.newStream());
      memory = opened.opened(device.allocate(sizeBytes));
      stage = opened.opened(new PinnedStage(device, stream, sizeBytes, timeout));
      opened.keep();
    }
    buffer = DeviceBuffer.of(device, memory, type);
  }

  /**
   * {@code values} on {@code communicator}'s device, as f32; a transfer may take as long as its
   * calls.
   */
  public static DeviceVector of(Communicator communicator, float... values) {
    DeviceVector array =
        new DeviceVector(
            communicator.device(), values.length, DataType.F32, communicator.timeout());
    array.put(values);
    return array;
  }

  private static int sizeBytes(int count, DataType type) {
    long sizeBytes = (long) count * type.sizeBytes();
    if (sizeBytes != (int) sizeBytes) {
      throw new UsageException(
          "%s elements of %s are %s bytes, and an array here has less than 2 GiB; use a DeviceBuffer"
              .formatted(count, type.text(), sizeBytes));
    }
    return (int) sizeBytes;
  }

  /** The elements, for calls. */
  public DeviceBuffer buffer() {
    return buffer;
  }

  /** The stream that transfers are queued on; calls on it come in order with them. */
  public Stream stream() {
    return stream;
  }

  /** Replaces all elements, of which there are as many, by {@code values}; f32 alone. */
  public void put(float[] values) {
    checkFloats(values.length);
    stage.bytes().asFloatBuffer().put(0, values);
    stage.write(buffer.address(), buffer.sizeBytes());
  }

  /** Replaces all bytes by what remains in {@code source}, which are as many, little-endian. */
  public void put(ByteBuffer source) {
    if (source.remaining() != buffer.sizeBytes()) {
      throw new UsageException(
          "%s bytes do not fill %s, which has %s"
              .formatted(source.remaining(), buffer, buffer.sizeBytes()));
    }
    stage.bytes().put(source);
    stage.write(buffer.address(), buffer.sizeBytes());
  }

  /** A copy of all elements, after what is queued on the stream; f32 alone. */
  public float[] floats() {
    float[] values = new float[(int) buffer.count()];
    get(values);
    return values;
  }

  /** Copies all elements to {@code values}, which are as many, as {@link #floats} does. */
  public void get(float[] values) {
    checkFloats(values.length);
    stage.read(buffer.address(), buffer.sizeBytes());
    stage.bytes().asFloatBuffer().get(0, values);
  }

  /** A copy of all bytes, little-endian, after what is queued on the stream. */
  public ByteBuffer bytes() {
    stage.read(buffer.address(), buffer.sizeBytes());
    ByteBuffer copy = ByteBuffer.allocate((int) buffer.sizeBytes()).order(ByteOrder.LITTLE_ENDIAN);
    return copy.put(stage.bytes()).flip();
  }

  private void checkFloats(int count) {
    if (buffer.type() != DataType.F32 || count != buffer.count()) {
      throw new UsageException(
          "%s floats for %s; give as many as there are, or bytes for another type"
              .formatted(count, buffer));
    }
  }

  @Override
  public void close() {
    stage.close();
    memory.close();
    stream.close();
  }
}
