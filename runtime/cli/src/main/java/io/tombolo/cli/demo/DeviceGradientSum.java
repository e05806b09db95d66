package io.tombolo.cli.demo;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.cli.train.GradientSum;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.PinnedStage;
import java.nio.FloatBuffer;
import java.time.Duration;

/**
 * Adds up gradients over a communicator: host → device → all_reduce on the device's memory → host.
 * The device's memory cannot be reached from here, so both ways go through pinned memory. Not
 * thread-safe.
 */
final class DeviceGradientSum implements GradientSum, AutoCloseable {
  private final Communicator communicator;
  private final Duration timeout;
  private final int length;
  private final Stream stream;
  private final DeviceMemory gradient;
  private final PinnedStage stage;

  /** For vectors of {@code length} elements; nothing waits longer than {@code timeout}. */
  DeviceGradientSum(Communicator communicator, int length, Duration timeout) {
    this.communicator = communicator;
    this.timeout = timeout;
    this.length = length;
    this.stream = communicator.device().newStream();
    this.gradient = communicator.device().allocate((long) length * Float.BYTES);
    this.stage = new PinnedStage(communicator.device(), stream, length * Float.BYTES, timeout);
  }

  @Override
  public void sum(float[] values) {
    checkArgument(values.length == length, "%s elements, not %s", length, values.length);
    FloatBuffer host = stage.bytes().asFloatBuffer();
    host.put(0, values);
    stage.write(gradient.address(), gradient.sizeBytes());
    communicator
        .allReduce(
            gradient.address(), gradient.address(), length, DataType.F32, ReduceOp.SUM, stream)
        .await(timeout);
    stage.read(gradient.address(), gradient.sizeBytes());
    host.get(0, values);
  }

  @Override
  public void close() {
    stage.close();
    gradient.close();
    stream.close();
  }
}
