// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.agent.StuckRound;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How the operations of a {@link SubmissionQueue} end: one by one when they are done, and all at
 * once after a failure, or if one is overdue while the agent is stuck. Thread-safe.
 */
public final class Completions {
  private final Duration timeout;
  private final FailureState failureState;
  private final Doorbell doorbell;
  private final UnderWay underWay;
  private final StreamCalls streamCalls;

  /** Of operations that the agent is to carry out. */
  private final AtomicInteger count = new AtomicInteger();

  /** Of the operations of {@code underWay}, which have {@code timeout} if they do not say else. */
  Completions(
      Duration timeout,
      FailureState failureState,
      Doorbell doorbell,
      UnderWay underWay,
      StreamCalls streamCalls) {
    this.timeout = timeout;
    this.failureState = failureState;
    this.doorbell = doorbell;
    this.underWay = underWay;
    this.streamCalls = streamCalls;
  }

  /** One has come in that the agent is to carry out. */
  void assignToAgent() {
    count.incrementAndGet();
  }

  /** How many have come in for the agent to carry out, and have not ended. */
  int assignedToAgent() {
    return count.get();
  }

  /** Whether operations have come in that the agent is to carry out, and have not ended. */
  public boolean isBusy() {
    return !failureState.hasFailed() && count.get() > 0;
  }

  /** Whether operations are under way that callers have queued on their streams. */
  public boolean hasOnStreams() {
    return !failureState.hasFailed() && streamCalls.areUnderWay();
  }

  /** Whether the call of {@code operation}, which its caller has queued on a stream, has ended. */
  public boolean hasEnded(SubmittedOperation operation) {
    return doorbell.hasEnded(operation.sequence());
  }

  /**
   * {@code operation} has ended well. Counted first, as whoever sees its stream go on may leave at
   * once; its place is given away only when its words are written.
   */
  public void finish(SubmittedOperation operation) {
    if (operation.isOnStream()) {
      streamCalls.remove();
    } else if (!operation.isCallers()) {
      count.decrementAndGet();
    }
    doorbell.release(operation.sequence());
    operation.end(underWay);
  }

  /**
   * The streams must not wait for ever; what they find in the outputs is undefined, and the works
   * say so before a stream goes on.
   */
  void endAll(TomboloException cause) {
    underWay.forEach(
        operation -> {
          try {
            operation.end(cause);
          } finally {
            doorbell.release(operation.sequence());
          }
        });
  }

  /** A failure just before could not see the operation that came in. */
  void endIfFailed() {
    if (failureState.hasFailed()) {
      endAll(failureState.awaitFailure());
    }
  }

  /** Ends everything if an operation is overdue while the agent is {@code stuck}. */
  public void endOverdue(StuckRound stuck) {
    underWay.forEach(
        operation -> {
          if (operation.isOverdueWhile(stuck.lasted(), timeout)) {
            failureState.fail(
                new DeadlineExceededException("not done in time: " + stuck.text())
                    .during(operation.describe()));
          }
        });
  }
}
