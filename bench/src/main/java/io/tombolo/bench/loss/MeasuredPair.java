// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.rdma.Fabric;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Two ends in this process, which one thread drives. */
record MeasuredPair(Fabric low, Fabric high, Deadline deadline) {
  private static final Duration BUDGET = Duration.ofMinutes(10);

  /** Between these two, from now on. */
  static MeasuredPair between(Fabric low, Fabric high) {
    return new MeasuredPair(low, high, Deadline.after(BUDGET));
  }

  /** Drives both until {@code condition} holds. */
  void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      low.progress();
      high.progress();
      if (deadline.isExpired()) {
        throw new DeadlineExceededException(
            "a run over "
                + low.name()
                + " was not done within "
                + BUDGET
                + "; carry less, or let less go wrong");
      }
    }
  }
}
