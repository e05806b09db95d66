// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.work.CallOptions;

/**
 * How operations come after what was queued on their streams before, and before what is queued
 * next. What queues is for one thread at a time, the questions are for all.
 */
final class StreamOrdering {
  private final Doorbell doorbell;
  private final FailureState failureState;

  /** The stream of the last call that was queued; null before the first. */
  private volatile Stream known;

  /** By what {@code doorbell} queues. */
  StreamOrdering(Doorbell doorbell, FailureState failureState) {
    this.doorbell = doorbell;
    this.failureState = failureState;
  }

  /** As {@link SubmissionQueue#look}, for calls that may come in. */
  StreamUse look(CallOptions options, Stream stream) {
    boolean idle =
        stream.equals(known) ? stream.isIdle() : options.streamWaits() && doorbell.isIdle(stream);
    return StreamUse.of(idle, !options.streamWaits() || doorbell.holds(stream));
  }

  /** As {@link SubmissionQueue#meet}. */
  void meet(Stream stream) {
    if (!stream.equals(known)) {
      doorbell.holds(stream);
    }
  }

  /** Whether {@code stream} is that of the last call, and idle. */
  boolean isKnownAndIdle(Stream stream) {
    return stream.equals(known) && stream.isIdle();
  }

  /** A stream that has proved to be one of the device's is not waited for while it is idle. */
  void queueStart(Stream stream, StreamUse use, long sequence) {
    if (use.isIdle()) {
      doorbell.ring(sequence);
    } else {
      doorbell.queueStart(stream, sequence);
    }
    known = stream;
  }

  /** The operation starts either way: a stream that would overtake it is the end of all. */
  void hold(Stream stream, SubmittedOperation operation) {
    try {
      doorbell.queueWait(stream, operation.sequence());
    } catch (TomboloException e) {
      failureState.fail(e.during(operation.describe()));
    } catch (RuntimeException e) {
      failureState.fail(
          new AbortedException(operation.describe() + ": its stream cannot wait: " + e, e));
    }
  }
}
