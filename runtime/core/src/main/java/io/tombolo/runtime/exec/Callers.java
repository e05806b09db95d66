package io.tombolo.runtime.exec;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.UsageException;
import java.util.function.BooleanSupplier;

/**
 * How callers wait: one takes the {@link Baton} and makes the rounds itself, until its own wait is
 * over; the others sleep, and when the first leaves, one of them goes on. So nobody has to be woken
 * for a call that one thread makes and waits for.
 *
 * <p>Where a duty is not {@linkplain Duty#isPrompt prompt} all of them sleep, and the agent drives.
 */
final class Callers {
  /** Rounds that a leaving caller makes to get its last messages off, as long as they help. */
  private static final int LAST_ROUNDS = 4;

  /** Some 10 µs: longer than the others' votes take if they call at the same time. */
  private static final int GLANCES = 100;

  private final Baton baton;
  private final Round round;
  private final LongRest agentsRest;
  private final Runnable wakeAgent;
  private final BooleanSupplier inUsersFunction;

  Callers(
      Baton baton,
      Round round,
      LongRest agentsRest,
      Runnable wakeAgent,
      BooleanSupplier inUsersFunction) {
    this.baton = baton;
    this.round = round;
    this.agentsRest = agentsRest;
    this.wakeAgent = wakeAgent;
    this.inUsersFunction = inUsersFunction;
  }

  /**
   * Returns when {@code awaited} is over, or {@code deadline} has expired. Nothing that duties
   * throw comes out of here.
   *
   * @throws UsageException inside a duty or a function of the user's, which would wait for itself
   */
  void await(Awaited awaited, Deadline deadline) throws InterruptedException {
    boolean nudged = false;
    try {
      while (!awaited.isOver() && !deadline.isExpired()) {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        requireMayWait();
        if (round.isForCallers() && baton.takeForCaller()) {
          nudged = false;
          drive(awaited, deadline);
        } else {
          nudged = sleep(awaited, deadline);
        }
      }
    } finally {
      if (nudged) {
        handOn();
      }
    }
  }

  /** Takes {@code duty} forward until {@code awaited} is over, but not for long. */
  void glance(Duty duty, Awaited awaited) {
    if (!round.isForCallers() || !baton.takeForCaller()) {
      return;
    }
    try {
      for (int look = 0; look < GLANCES && mayGoOn() && !awaited.isOver(); look++) {
        round.takeForward(duty);
      }
    } finally {
      baton.release();
      handOn();
    }
  }

  /** Refuses whoever makes a round, or is inside a function of the user's. */
  void requireMayWait() {
    if (baton.isMine() || inUsersFunction.getAsBoolean()) {
      throw new UsageException(
          "a user's reduction or another callback waits for an operation that only goes on when it"
              + " returns; wait outside of it");
    }
  }

  private void drive(Awaited awaited, Deadline deadline) {
    try {
      Rest rest = new Rest();
      while (mayGoOn() && !awaited.isOver() && !deadline.isExpired() && !isInterrupted()) {
        int done = round.run();
        rest.after(done, round.wasBusy(), round.endNs())
            .take(Math.min(Rest.NAP_NS, deadline.remainingNs()));
      }
      makeLastRounds();
    } finally {
      baton.release();
      agentsRest.stir(); // what there is to wait for may be something else now
      handOn();
    }
  }

  private void makeLastRounds() {
    int made = 0;
    while (made < LAST_ROUNDS && mayGoOn() && round.run() > 0) {
      made++;
    }
  }

  private boolean mayGoOn() {
    return round.isForCallers() && !baton.isClosing();
  }

  private static boolean isInterrupted() {
    return Thread.currentThread().isInterrupted();
  }

  /** Sleeps; whether it ended because the baton is to be taken. */
  private boolean sleep(Awaited awaited, Deadline deadline) throws InterruptedException {
    baton.enlist(awaited);
    try {
      if (!round.isForCallers() || !baton.isFree() || baton.isClosing()) {
        awaited.sleep(deadline);
      }
    } catch (InterruptedException e) {
      if (!baton.delist(awaited)) {
        handOn();
      }
      throw e;
    }
    return !baton.delist(awaited);
  }

  /** The baton is free: the next caller is to take it, or the agent if there is something to do. */
  private void handOn() {
    if (!invite() && (round.isBusy() || !round.isForCallers())) {
      wakeAgent.run();
    }
  }

  /** Wakes a caller that sleeps to make the rounds from now on; false if none is to. */
  boolean invite() {
    return round.isForCallers() && baton.nudge();
  }
}
