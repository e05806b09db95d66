// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.work;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import java.time.Duration;
import java.util.Optional;

/**
 * How a call is made.
 *
 * @param timeout how long it may take from the moment its stream reached it; the job's timeout if
 *     there is none. Ranks may differ in it.
 * @param streamWaits whether the stream waits for the end by itself, or, where it cannot be held,
 *     the call; else {@link Work#makeWait(Stream)} has it wait, or nothing does
 * @param timed whether {@link Work#times} will tell where the time went
 * @param returns when the call returns
 */
public record CallOptions(
    Optional<Duration> timeout, boolean streamWaits, boolean timed, Returns returns) {
  /** When a call returns. */
  public enum Returns {
    /** When the operation is under way. */
    AT_ONCE,
    /**
     * When the operation has ended or a moment has passed, where a library whose calls block can do
     * the whole call by itself; else as {@link #AT_ONCE}. The caller's own thread goes into one
     * that can abort, and into no other.
     */
    SOON,
    /**
     * When the operation has ended, or its timeout has passed. A library whose calls block may then
     * be called on the caller's own thread, with nothing between but the vote: where all ranks are
     * of its vendor, it does the whole call by itself, and nothing is pending on the stream or the
     * communicator. If that library cannot abort, and a member dies in the middle, the thread stays
     * in it.
     */
    AT_THE_END
  }

  /** The job's timeout, and a stream that waits. */
  public static final CallOptions STANDARD =
      new CallOptions(Optional.empty(), true, false, Returns.AT_ONCE);

  /** As {@link #STANDARD}, and timed. */
  public static final CallOptions TIMED =
      new CallOptions(Optional.empty(), true, true, Returns.AT_ONCE);

  /** As {@link #STANDARD}, and the call returns when the operation has ended. */
  public static final CallOptions BLOCKING =
      new CallOptions(Optional.empty(), true, false, Returns.AT_THE_END);

  /** These, with a {@code limit} of their own. */
  public CallOptions withTimeout(Duration limit) {
    return new CallOptions(Optional.of(limit), streamWaits, timed, returns);
  }

  /** These, with a stream that goes on at once: {@link Work#makeWait(Stream)} has one wait. */
  public CallOptions withoutStreamWait() {
    return new CallOptions(timeout, false, timed, returns);
  }

  /** These, timed. */
  public CallOptions withTiming() {
    return new CallOptions(timeout, streamWaits, true, returns);
  }

  /** These, in a call that returns when the operation has ended. */
  public CallOptions withBlocking() {
    return new CallOptions(timeout, streamWaits, timed, Returns.AT_THE_END);
  }

  /** Whether the call returns only when the operation has ended. */
  public boolean blocks() {
    return returns == Returns.AT_THE_END;
  }

  /** Checks the timeout; one of over a hundred years is cut to that. */
  public CallOptions {
    timeout.ifPresent(
        limit ->
            checkArgument(
                !limit.isNegative() && !limit.isZero(), "a timeout is positive: %s", limit));
    timeout = timeout.map(Deadline::bounded);
  }
}
