// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * How calls that block wait for streams of their own. Thread-safe.
 *
 * @param rank whose calls they are
 * @param timeout how long each may take
 */
record StreamPatience(int rank, Duration timeout) {
  private static final long GLANCE_NS = 20_000;

  /** Returns once {@code stream} is idle; {@code what}, of so many bytes, is queued there. */
  void awaitIdle(Stream stream, String what, long bytes) {
    Deadline deadline = Deadline.after(timeout);
    while (!stream.isIdle()) {
      if (deadline.isExpired()) {
        throw new DeadlineExceededException(
            "rank %s: %s of %s bytes is not done after %s ms; is the device busy?"
                .formatted(rank, what, bytes, timeout.toMillis()));
      }
      LockSupport.parkNanos(GLANCE_NS);
    }
  }
}
