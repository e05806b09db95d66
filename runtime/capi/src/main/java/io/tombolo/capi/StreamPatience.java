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
 * @param who whose calls they are, for messages: {@code rank 0}
 * @param timeout how long each may take
 */
record StreamPatience(String who, Duration timeout) {
  private static final long GLANCE_NS = 20_000;

  /** Returns once {@code stream} is idle; {@code what}, of so many bytes, is queued there. */
  void awaitIdle(Stream stream, String what, long bytes) {
    Deadline deadline = Deadline.after(timeout);
    while (!stream.isIdle()) {
      if (deadline.isExpired()) {
        throw new DeadlineExceededException(
            "%s: %s of %s bytes is not done after %s ms; is the device busy?"
                .formatted(who, what, bytes, timeout.toMillis()));
      }
      LockSupport.parkNanos(GLANCE_NS);
    }
  }
}
