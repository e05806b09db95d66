// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for a stream to have done all that is queued. Whoever learns that it has reached a point,
 * from an event or a word, knows that a moment before the stream is done with it.
 */
public final class IdleStream {
  private static final long LOOK_NS = 100_000;

  private IdleStream() {}

  public static void await(Stream stream, Duration limit) {
    Deadline deadline = Deadline.after(limit);
    while (!stream.isIdle()) {
      if (deadline.isExpired()) {
        throw new AssertionError("the stream is not idle after " + deadline);
      }
      LockSupport.parkNanos(LOOK_NS);
    }
  }
}
