// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.runtime.plan.Reduction;

/** A job of one rank, for tests of other packages. */
public final class OneRank implements AutoCloseable {
  private final ThreadRanks job = new ThreadRanks(1);

  /** Makes one all_reduce of {@code elements}, and waits for its end. */
  public void sum(int elements) {
    Communicator only = job.all().get(0);
    try (DeviceVector vector = DeviceVector.of(only, new float[elements])) {
      only.allReduce(vector.buffer(), Reduction.sum(), vector.stream()).await(ThreadRanks.LONG);
    }
  }

  @Override
  public void close() {
    job.close();
  }
}
