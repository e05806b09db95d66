package io.tombolo.runtime;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.Stream;
import java.time.Duration;
import java.util.Optional;

/**
 * How a call is made.
 *
 * @param timeout how long it may take from the moment its stream reached it; the job's timeout if
 *     there is none. Ranks may differ in it.
 * @param streamWaits whether the stream waits for the end by itself; else {@link
 *     Work#makeWait(Stream)} has it wait, or nothing does
 * @param timed whether {@link Work#times} will tell where the time went
 */
public record CallOptions(Optional<Duration> timeout, boolean streamWaits, boolean timed) {
  /** The job's timeout, and a stream that waits. */
  public static final CallOptions STANDARD = new CallOptions(Optional.empty(), true, false);

  /** As {@link #STANDARD}, and timed. */
  public static final CallOptions TIMED = new CallOptions(Optional.empty(), true, true);

  /** Checks the timeout. */
  public CallOptions {
    timeout.ifPresent(
        limit ->
            checkArgument(
                !limit.isNegative() && !limit.isZero(), "a timeout is positive: %s", limit));
  }
}
