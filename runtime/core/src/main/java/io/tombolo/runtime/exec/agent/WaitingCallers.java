// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import io.tombolo.adaptors.device.RoundCheck;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.UsageException;
import java.util.function.BooleanSupplier;

/**
 * How callers wait: one takes the {@link ProgressLock} and makes the rounds itself, until its own
 * wait is over; the others sleep, and when the first leaves, one of them goes on. So nobody has to
 * be woken for a call that one thread makes and waits for.
 *
 * <p>Where a duty is not {@linkplain Duty#isPrompt prompt} all of them sleep, and the agent drives.
 */
final class WaitingCallers {
  /** Rounds that a leaving caller makes to get its last messages off, as long as they help. */
  private static final int LAST_ROUNDS = 4;

  /**
   * What no look shows, such as a peer's death, is for a whole round to find: one of so many looks
   * is one.
   */
  private static final int LOOKS_PER_ROUND = 16;

  private final ProgressLock progressLock;
  private final Round round;
  private final Parker parker;
  private final Runnable wakeAgent;
  private final long spinNs;
  private final Cores.Looks looks;
  private final BooleanSupplier inUsersFunction;

  /** For who drives. */
  private final SharedCore sharedCore = new SharedCore();

  /** Whether a caller that the agent has signalled may still come for the lock. */
  private volatile boolean expected;

  WaitingCallers(
      ProgressLock progressLock,
      Round round,
      Parker parker,
      Runnable wakeAgent,
      long spinNs,
      Cores.Looks looks,
      BooleanSupplier inUsersFunction) {
    this.progressLock = progressLock;
    this.round = round;
    this.parker = parker;
    this.wakeAgent = wakeAgent;
    this.spinNs = spinNs;
    this.looks = looks;
    this.inUsersFunction = inUsersFunction;
  }

  /**
   * Returns when {@code awaited} is over, or {@code deadline} has expired. Nothing that duties
   * throw comes out of here. Nobody need have been woken for what the caller waits for: that is
   * done here if it does not make the rounds.
   *
   * @throws UsageException inside a duty or a function of the user's, which would wait for itself
   */
  void await(Awaitable awaited, Deadline deadline) throws InterruptedException {
    boolean signalled = false;
    boolean agentKnows = false;
    try {
      while (!awaited.isOver() && !deadline.isExpired()) {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        requireMayWait();
        if (round.isForCallers() && progressLock.takeForCaller()) {
          signalled = false;
          agentKnows = true; // for who leaves hands over
          drive(awaited, deadline);
        } else {
          if (!agentKnows) {
            wakeAgent.run();
            agentKnows = true;
          }
          signalled = sleep(awaited, deadline);
        }
      }
    } finally {
      if (signalled) {
        handOver();
      } else if (!agentKnows && !awaited.isOver()) {
        wakeAgent.run();
      }
    }
  }

  /**
   * Takes {@code duty} forward until {@code awaited} is over, but not for long: as {@link
   * Cores.Looks} say. If that is not enough, the caller awaits it next: so the agent is not woken
   * here, whose thread would take a core from those that are waited for.
   *
   * <p>What is waited for comes in the middle of a round, as a rule, and is then seen in the next
   * one only. So most looks are no rounds, but ask the duty whether there is something to find.
   */
  void spin(Duty duty, Awaitable awaited) {
    if (!round.isForCallers() || !progressLock.takeForCaller()) {
      return;
    }
    try {
      long startNs = 0;
      for (int made = 0; mayGoOn() && !awaited.isOver(); made++) {
        if (made == looks.least()) {
          startNs = System.nanoTime(); // only now: mostly that was enough
        }
        if (made >= looks.least() && System.nanoTime() - startNs >= looks.forNs()) {
          break;
        }
        look(duty, made);
      }
    } finally {
      progressLock.release();
      if (awaited.isOver()) {
        handOver();
      } else {
        signalCaller();
      }
    }
  }

  private void look(Duty duty, int made) {
    boolean keepsCore = made < looks.keeping();
    if (!keepsCore) {
      looks.giveAway().run();
    }
    if (made % LOOKS_PER_ROUND == 0 || round.mayHaveNews(duty)) {
      round.takeForward(duty);
    } else if (keepsCore) {
      Thread.onSpinWait();
    }
  }

  /**
   * Runs {@code step}, which waits for nothing and throws nothing, in the place of a round; false
   * if somebody makes one now.
   */
  boolean step(Runnable step) {
    if (!progressLock.takeForStep()) {
      return false;
    }
    RoundCheck.enter();
    try {
      step.run();
    } finally {
      RoundCheck.leave();
      progressLock.release();
    }
    return true;
  }

  /** Refuses whoever makes a round, or is inside a function of the user's. */
  void requireMayWait() {
    if (progressLock.isMine() || inUsersFunction.getAsBoolean()) {
      throw new UsageException(
          "a user's reduction or another callback waits for an operation that only goes on when it"
              + " returns; wait outside of it");
    }
  }

  private void drive(Awaitable awaited, Deadline deadline) {
    expected = false;
    try {
      IdleStrategy idleStrategy = new IdleStrategy(spinNs, sharedCore);
      while (mayGoOn() && !awaited.isOver() && !deadline.isExpired() && !isInterrupted()) {
        int done = round.runForCaller();
        idleStrategy
            .after(done, round.wasBusy(), round.startNs(), round.endNs())
            .idle(Math.min(IdleStrategy.NAP_NS, deadline.remainingNs()));
      }
      makeLastRounds();
    } finally {
      progressLock.release();
      parker.unpark(); // what there is to wait for may be something else now
      handOver();
    }
  }

  private void makeLastRounds() {
    int made = 0;
    while (made < LAST_ROUNDS && mayGoOn() && round.runForCaller() > 0) {
      made++;
    }
  }

  private boolean mayGoOn() {
    return round.isForCallers() && !progressLock.isClosing();
  }

  private static boolean isInterrupted() {
    return Thread.currentThread().isInterrupted();
  }

  /** Sleeps; whether it ended because the progress lock is to be taken. */
  private boolean sleep(Awaitable awaited, Deadline deadline) throws InterruptedException {
    progressLock.enqueue(awaited);
    expected = false; // it may be the one, and have come while the agent was in a round
    try {
      if (!round.isForCallers() || !progressLock.isFree() || progressLock.isClosing()) {
        awaited.sleep(deadline);
      }
    } catch (InterruptedException e) {
      if (!progressLock.dequeue(awaited)) {
        handOver();
      }
      throw e;
    }
    return !progressLock.dequeue(awaited);
  }

  /** The lock is free: the next caller is to take it, or the agent if there is something to do. */
  private void handOver() {
    if (!signalCaller() && (round.isBusy() || !round.isForCallers())) {
      wakeAgent.run();
    }
  }

  /** Has one caller make the rounds from now on, once the agent finds nothing more to do. */
  void afterRoundOfAgent(boolean foundNothing) {
    if (!foundNothing) {
      expected = false;
    } else if (!expected) {
      expected = true; // before it wakes, as it may come too early and sleep again
      if (!signalCaller()) {
        expected = false;
      }
    }
  }

  /** Wakes a caller that sleeps to make the rounds from now on; false if none is to. */
  private boolean signalCaller() {
    return round.isForCallers() && progressLock.signalNext();
  }
}
