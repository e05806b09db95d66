// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.submit.SubmittedOperation;
import io.tombolo.runtime.exec.vote.CallCheck;
import java.time.Duration;

/**
 * Ends operations that take longer than they may, and says what holds them up. Used by the agent's
 * thread.
 */
final class OperationLimits {
  /** Ranks that do not see the cause themselves let those that do speak first. */
  private static final Duration COURTESY = Duration.ofSeconds(2);

  private final Duration timeout;
  private final CallCheck votes;
  private final Libraries libraries;

  /** Of operations that have {@code timeout} if they do not say otherwise. */
  OperationLimits(Duration timeout, CallCheck votes, Libraries libraries) {
    this.timeout = timeout;
    this.votes = votes;
    this.libraries = libraries;
  }

  /** Whether {@code entry}, which has begun, is over its time. */
  boolean isOverdue(InFlightOperation entry) {
    boolean informed = isAgreed(entry) || votes.seesWhoIsMissing();
    return entry.operation().isOverdue(informed ? Duration.ZERO : COURTESY);
  }

  /** What to throw of {@code entry}, which is over its time. */
  TomboloException overdue(InFlightOperation entry) {
    return overdue(entry.operation(), isAgreed(entry) ? heldUp(entry) : votes.waitingFor());
  }

  private boolean isAgreed(InFlightOperation entry) {
    return votes.agreed(entry.operation().sequence());
  }

  /** A call that does not come back may keep the stream from reaching the operation at all. */
  void checkCaller(InFlightOperation entry) {
    SubmittedOperation operation = entry.operation();
    if (isInside(operation)
        && !operation.hasBegun()
        && operation.handoff().orElseThrow().lastedNs() >= operation.allowed(timeout).toNanos()) {
      throw overdue(operation, heldUp(entry));
    }
  }

  private static boolean isInside(SubmittedOperation operation) {
    return operation.isOnStream() && operation.isHeldByCaller();
  }

  private String heldUp(InFlightOperation entry) {
    return isInside(entry.operation())
        ? entry.operation().handoff().orElseThrow().stuckIn(libraries.callOfVendor()).text()
        : "held up by " + entry.heldUpBy();
  }

  private static TomboloException overdue(SubmittedOperation operation, String why) {
    return new DeadlineExceededException("not done in time: " + why).during(operation.describe());
  }
}
