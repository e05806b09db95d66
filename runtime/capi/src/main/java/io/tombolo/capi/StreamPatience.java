// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How calls that block wait for streams: for their own, and for the callers'. Thread-safe.
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

  private void pause(Deadline deadline, String what, long bytes, String state, String question) {
    if (deadline.isExpired()) {
      long ms = TimeUnit.NANOSECONDS.toMillis(deadline.budgetNs());
      throw new DeadlineExceededException(
          "%s: %s of %s bytes %s after %s ms; %s"
              .formatted(who, what, bytes, state, ms, question));
    }
    LockSupport.parkNanos(GLANCE_NS);
  }
}
