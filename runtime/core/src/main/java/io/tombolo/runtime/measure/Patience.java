// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.measure;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits the way a measurement wants it: awake, but leaving the core to whoever needs it. */
final class Patience {
  private static final int SPINS = 100;

  private Patience() {}

  /** Returns once {@code done} says so; {@code complaint} is the error after the deadline. */
  @SuppressWarnings("ThreadPriorityCheck") // the other end may need this core to answer
  static void until(BooleanSupplier done, Deadline deadline, Supplier<String> complaint) {
    for (int round = 0; !done.getAsBoolean(); round++) {
      if (round < SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
      if (deadline.isExpired()) {
        throw new DeadlineExceededException(
            "%s; waited %s ms".formatted(complaint.get(), deadline.elapsedNs() / 1_000_000));
      }
    }
  }
}
