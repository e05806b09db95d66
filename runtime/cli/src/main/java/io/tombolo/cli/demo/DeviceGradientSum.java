// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import io.tombolo.base.DataType;
import io.tombolo.cli.train.GradientSum;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.DeviceVector;
import io.tombolo.runtime.plan.Reduction;
import java.time.Duration;

/**
 * Adds up gradients over a communicator: host → device → all_reduce on the device's memory → host.
 * Not thread-safe.
 */
final class DeviceGradientSum implements GradientSum, AutoCloseable {
  private final Communicator communicator;
  private final Duration timeout;
  private final DeviceVector gradient;

  /** For vectors of {@code length} elements; nothing waits longer than {@code timeout}. */
  DeviceGradientSum(Communicator communicator, int length, Duration timeout) {
    this.communicator = communicator;
    this.timeout = timeout;
    this.gradient = new DeviceVector(communicator.device(), length, DataType.F32, timeout);
  }

  @Override
  public void sum(float[] values) {
    gradient.put(values);
    communicator.allReduce(gradient.buffer(), Reduction.sum(), gradient.stream()).await(timeout);
    gradient.get(values);
  }

  @Override
  public void close() {
    gradient.close();
  }
}
