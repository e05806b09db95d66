// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.submit.SubmissionQueue;
import io.tombolo.runtime.exec.vote.CallCheck;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Takes the operations of one communicator forward, round by round: they come in, are voted on,
 * begin, run and end. Used by one thread at a time, as the agent sees to.
 *
 * <p>What is done in every round makes no garbage: hence no iterators and no capturing lambdas
 * here, nor in {@link InFlight}, {@link Voting} and {@link TaskStarter}.
 */
final class OperationProgress {
  /** How many rounds pass between two looks at the vendor's asynchronous errors. */
  private static final int ROUNDS_PER_VENDOR_CHECK = 256;

  private final FailureState failureState;
  private final SubmissionQueue submissions;
  private final CallCheck check;
  private final Libraries libraries;
  private final TaskScheduler taskScheduler;
  private final boolean recordsSteps;
  private final OperationLimits limits;
  private final InFlight inFlight;
  private final Voting voting;
  private final TaskStarter starter;

  /** What a caller has met that made the agent's steps. */
  private Optional<TomboloException> met = Optional.empty();

  private int rounds;

  /**
   * Of what comes in at {@code submissions}.
   *
   * @param timeout how long an operation may take from when its stream has reached it, if it does
   *     not say otherwise
   * @param recordsSteps whether a recorder is to know at which steps operations stand
   */
  OperationProgress(
      Duration timeout,
      FailureState failureState,
      SubmissionQueue submissions,
      CallCheck check,
      Libraries libraries,
      TaskScheduler taskScheduler,
      boolean recordsSteps) {
    this.failureState = failureState;
    this.submissions = submissions;
    this.check = check;
    this.libraries = libraries;
    this.taskScheduler = taskScheduler;
    this.recordsSteps = recordsSteps;
    this.limits = new OperationLimits(timeout, check, libraries);
    this.inFlight = new InFlight(timeout, submissions, check, libraries);
    this.voting = new Voting(check, inFlight, failureState::meet);
    this.starter = new TaskStarter(check, libraries, taskScheduler, inFlight, voting);
  }

  /** As {@link Executor#onPeerGone}. */
  void onPeerGone(Consumer<TomboloException> listener) {
    voting.onPeerGone(listener);
  }

  /** One round, as {@link Executor#work}. */
  int work() {
    if (failureState.hasFailed()) {
      return 0;
    }
    if (met.isPresent()) {
      throw met.get();
    }
    inFlight.takeIn();
    if (inFlight.isEmpty()) {
      return 0;
    }
    int moved = voting.work() + inFlight.begin();
    moved += check.look(); // a vote that has just begun: for who comes last the others wait
    moved += voting.hasSuspended() ? 0 : run();
    moved += inFlight.finish();
    checkHealth();
    return moved;
  }

  /**
   * Ends the operations that have ended, as {@link #work} does, for a caller that waits for one.
   * Calls nothing that may wait; what it meets is left to the agent.
   */
  void settle() {
    if (failureState.hasFailed() || met.isPresent()) {
      return;
    }
    try {
      int moved = 1;
      while (moved > 0) {
        moved = inFlight.takeIn() + (inFlight.isEmpty() ? 0 : end());
      }
    } catch (TomboloException e) {
      met = Optional.of(e);
      submissions.wake();
    }
  }

  /** The others mostly have voted by then: their votes are looked at as soon as ours has begun. */
  private int end() {
    return voting.work() + inFlight.begin() + check.look() + inFlight.finish();
  }

  /**
   * What fails before all calls are known to agree may only suffer from a mismatch, its own or that
   * of a peer which has hung up already: the vote decides, and names both calls.
   */
  private int run() {
    try {
      return recorded(starter.start()) + recorded(taskScheduler.work());
    } catch (TomboloException failed) {
      voting.suspend(failed);
      return recorded(1);
    }
  }

  /** Has the recorder know where operations stand, of which {@code moved} steps have moved. */
  private int recorded(int moved) {
    if (recordsSteps && moved > 0) {
      for (int i = 0; i < inFlight.size(); i++) {
        inFlight.get(i).recordStep();
      }
    }
    return moved;
  }

  private void checkHealth() {
    for (int i = 0; i < inFlight.size(); i++) {
      if (inFlight.get(i).operation().hasBegun()) {
        checkTime(inFlight.get(i));
      }
      limits.checkCaller(inFlight.get(i));
    }
    if (rounds++ % ROUNDS_PER_VENDOR_CHECK == 0 && check.isIdle() && !voting.hasSuspended()) {
      libraries.check();
    }
  }

  private void checkTime(InFlightOperation entry) {
    if (limits.isOverdue(entry)) {
      voting.raiseSuspended();
      throw limits.overdue(entry);
    }
  }

  /** As {@link Executor#fail}: {@code cause} ends all, and names the oldest operation. */
  void fail(Throwable cause) {
    TomboloException error =
        cause instanceof TomboloException known
            ? known
            : new AbortedException("the agent failed: " + cause, cause);
    failureState.meet(inFlight.isEmpty() ? error : error.during(inFlight.oldest().describe()));
  }

  /** As {@link io.tombolo.runtime.work.Activity#mostAtOnce}. Thread-safe. */
  int mostAtOnce() {
    return starter.mostAtOnce();
  }
}
