// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.exec.agent.FailureState;

/**
 * Which calls may come in, and their numbers: none once the communicator is closed or has failed.
 * Calls are numbered one at a time, and never while this is closed; the questions are for all
 * threads.
 */
final class Admission {
  private final int rank;
  private final FailureState failureState;
  private volatile long submitted;
  private volatile boolean closed;

  /** Of calls of {@code rank}. */
  Admission(int rank, FailureState failureState) {
    this.rank = rank;
    this.failureState = failureState;
  }

  /**
   * Refuses what cannot be done any more.
   *
   * @throws UsageException once this is closed
   */
  void requireOpen() {
    if (closed) {
      throw new UsageException("rank " + rank + ": the communicator is closed");
    }
  }

  /** Whether a call may come in, as far as is known now: {@link #next} says why not. */
  boolean isUsable() {
    return !closed && !failureState.hasFailed();
  }

  /** The number of the next call; throws what keeps it from coming in. */
  long next(Submission submission) {
    requireOpen();
    long sequence = submitted + 1;
    if (failureState.hasFailed()) {
      throw refusal(submission, sequence);
    }
    return sequence;
  }

  private AbortedException refusal(Submission submission, long sequence) {
    TomboloException failed = failureState.awaitFailure();
    return new AbortedException(
        submission.describe(rank, sequence, 0)
            + ": the communicator failed before this call: "
            + failed.getMessage(),
        failed);
  }

  /** The call with the number {@code sequence} has come in. */
  void admitted(long sequence) {
    submitted = sequence;
  }

  /** How many have come in so far, which is the number of the last. */
  long submitted() {
    return submitted;
  }

  /** Takes no calls any more. */
  void close() {
    closed = true;
  }
}
