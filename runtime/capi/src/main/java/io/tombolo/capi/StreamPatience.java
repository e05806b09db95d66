// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

/**
 * How calls that block wait for streams, for their own and the callers', and for one another.
 * Thread-safe.
 *
 * @param who whose calls they are, for messages: {@code rank 0}
 * @param timeout how long each may take
 */
record StreamPatience(String who, Duration timeout) {
  private static final long GLANCE_NS = 20_000;

  /** Returns once {@code stream} is idle; {@code what}, of so many bytes, is queued there. */
  void awaitIdle(Stream stream, String what, long bytes) {
    awaitIdle(stream, what, bytes, Deadline.after(timeout));
  }

  /** Likewise, by a deadline of the call's own. */
  void awaitIdle(Stream stream, String what, long bytes, Deadline deadline) {
    while (!stream.isIdle()) {
      pause(deadline, what, bytes, "is not done", "is the device busy?");
    }
  }

  /** Returns once the caller's stream has passed {@code mark}; {@code what} comes after that. */
  void awaitPassed(Event mark, String what, long bytes, Deadline deadline) {
    while (!mark.isDone()) {
      pause(deadline, what, bytes, "still waits for the caller's stream", "what does it wait for?");
    }
  }

  /** Returns once this thread has {@code turn}, which other threads' calls have before it. */
  void awaitTurn(Lock turn, String what, long bytes, Deadline deadline) {
    if (!Uninterruptibles.tryLockUninterruptibly(
        turn, deadline.remainingNs(), TimeUnit.NANOSECONDS)) {
      throw late(deadline, what, bytes, "still waits for other threads", "is the device busy?");
    }
  }

  private void pause(Deadline deadline, String what, long bytes, String state, String question) {
    if (deadline.isExpired()) {
      throw late(deadline, what, bytes, state, question);
    }
    LockSupport.parkNanos(GLANCE_NS);
  }

  private DeadlineExceededException late(
      Deadline deadline, String what, long bytes, String state, String question) {
    long ms = TimeUnit.NANOSECONDS.toMillis(deadline.budgetNs());
    return new DeadlineExceededException(
        "%s: %s of %s bytes %s after %s ms; %s".formatted(who, what, bytes, state, ms, question));
  }
}
