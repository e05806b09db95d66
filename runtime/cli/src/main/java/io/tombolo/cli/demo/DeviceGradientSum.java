// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import io.tombolo.base.DataType;
import io.tombolo.cli.train.GradientSum;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.DeviceVector;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.Optional;

/**
 * Adds up gradients over a communicator: host → device → all_reduce on the device's memory → host.
 * Not thread-safe.
 */
final class DeviceGradientSum implements GradientSum, AutoCloseable {
  private final Communicator communicator;
  private final Duration timeout;
  private final DeviceVector gradient;
  private Optional<Work> last = Optional.empty();

  /** For vectors of {@code length} elements; nothing waits longer than {@code timeout}. */
  DeviceGradientSum(Communicator communicator, int length, Duration timeout) {
    this.communicator = communicator;
    this.timeout = timeout;
    this.gradient = new DeviceVector(communicator.device(), length, DataType.F32, timeout);
  }

  @Override
  public void sum(float[] values) {
    gradient.put(values);
    Work work = communicator.allReduce(gradient.buffer(), Reduction.sum(), gradient.stream());
    last = Optional.of(work);
    work.await(timeout);
    gradient.get(values);
  }

  /** Memory in which a call that failed may still write stays until the process ends. */
  @Override
  public void close() {
    if (last.map(Work::buffersReleased).orElse(true)) {
      gradient.close();
    }
  }
}
