// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.Awaitable;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.work.CallOptions;
import java.time.Duration;

/**
 * How callers wait for operations, and for how long: all make the agent's rounds meanwhile, if they
 * can. Thread-safe.
 */
final class CallerWaits {
  /** After its deadline an operation ends when all who may name the cause have had time to. */
  private static final Duration MARGIN = Duration.ofSeconds(5);

  private final Agent agent;
  private final Duration timeout;
  private final FailureState failureState;
  private final StreamWait streamWait;

  /** Waits for operations that have {@code timeout} if they do not say otherwise. */
  CallerWaits(Agent agent, Duration timeout, FailureState failureState, StreamWait streamWait) {
    this.streamWait = streamWait;
    this.agent = agent;
    this.timeout = timeout;
    this.failureState = failureState;
  }

  /** As {@link Agent#requireMayWait}. */
  void requireMayWait() {
    agent.requireMayWait();
  }

  /** How long a call with {@code options} may wait for its turn. */
  Deadline turn(CallOptions options) {
    return Deadline.after(options.timeout().orElse(timeout));
  }

  /** How long a call with {@code options} that blocks may wait for its end. */
  Deadline end(CallOptions options) {
    return Deadline.after(options.timeout().orElse(timeout).plus(MARGIN));
  }

  /** How long {@code operation} may take at most, from its call on. */
  Duration patience(SubmittedOperation operation) {
    return operation.allowed(timeout).multipliedBy(2).plus(MARGIN);
  }

  /** As {@link StreamWait#isSoonIdle}. */
  boolean isSoonIdle(Stream stream, boolean votesAreShown) {
    return streamWait.isSoonIdle(stream, votesAreShown);
  }

  /**
   * Waits for the end of {@code operation}, of a call with {@code options} that blocks, as {@link
   * StreamWait#awaitAlone} does. An interrupt ends the wait, too, and stays with the thread.
   */
  void awaitAlone(SubmittedOperation operation, CallOptions options, Runnable tellOthers) {
    if (!streamWait.settle(operation)) {
      try {
        streamWait.awaitAlone(operation, end(options), operation.allowed(timeout), tellOthers);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void waitFor(Awaitable awaited, Deadline deadline) throws InterruptedException {
    if (awaited instanceof SubmittedOperation operation && operation.isOnStream()) {
      streamWait.await(operation, deadline);
    } else {
      agent.await(awaited, deadline);
    }
  }

  /** Waits for {@code awaited}, or until {@code deadline}. */
  void await(Awaitable awaited, Deadline deadline) throws InterruptedException {
    waitFor(awaited, deadline);
  }

  /** As the other; an interrupt ends the wait, too, and stays with the thread. */
  void awaitQuietly(Awaitable awaited, Deadline deadline) {
    try {
      waitFor(awaited, deadline);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** As the other; an interrupt does not end the wait, and stays with the thread. */
  void awaitStubbornly(SubmittedOperation operation, Deadline deadline) {
    boolean interrupted = false;
    while (!operation.isDone() && !deadline.isExpired()) {
      try {
        waitFor(operation, deadline);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Holds the caller until {@code operation} has ended, in the place of a stream that cannot be
   * held, so that what is queued next comes after. The operation has its timeout to be reached by
   * its stream, too: else the communicator fails, as nothing would keep the order any more. An
   * interrupt does not end the wait, and stays with the thread.
   */
  void standIn(SubmittedOperation operation) {
    Duration allowed = operation.allowed(timeout);
    awaitStubbornly(operation, Deadline.after(allowed.plus(MARGIN)));
    if (operation.hasBegun()) {
      awaitStubbornly(operation, Deadline.after(allowed.plus(MARGIN)));
    }
    if (!operation.isDone()) {
      failureState.fail(
          new DeadlineExceededException(
              operation.describe()
                  + ": its stream has not reached it within "
                  + allowed.toMillis()
                  + " ms, which the caller has to wait for, as this stream cannot be held; give the call more time, or look at what is queued before it"));
    }
  }
}
