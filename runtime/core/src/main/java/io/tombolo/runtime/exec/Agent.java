package io.tombolo.runtime.exec;

import io.tombolo.base.Deadline;
import io.tombolo.base.NativeWaiter;
import io.tombolo.base.errors.UsageException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What moves bytes in a process: it takes its duties forward round and round, and rests when none
 * has work. A thread of its own does so, or, while it waits, a caller that has taken the {@link
 * Baton}.
 *
 * <p>A duty that throws is told so and dropped; the others go on. Duties may be added and removed
 * by any thread.
 */
public final class Agent implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Agent.class);
  private static final Duration CLOSING = Duration.ofSeconds(5);

  /** Should something not tell that it has come, it is looked for so often. */
  private static final Duration LONGEST_REST = Duration.ofSeconds(1);

  private final Thread thread;
  private final long napNs;
  private final Round round = new Round();
  private final LongRest longRest;
  private final Baton baton;
  private final Callers callers;
  private volatile boolean running = true;

  /**
   * Starts the thread.
   *
   * @param inUsersFunction whether the thread that asks is inside a function of the user's, on
   *     which operations depend
   */
  public Agent(BooleanSupplier inUsersFunction) {
    this(Rest.NAP_NS, LONGEST_REST.toNanos(), NativeWaiter::open, inUsersFunction);
  }

  /** As the other, where no user's functions are called. */
  Agent(long napNs, long longestRestNs, Supplier<NativeWaiter> opener) {
    this(napNs, longestRestNs, opener, () -> false);
  }

  /**
   * Starts the thread.
   *
   * @param napNs how long it naps if nobody wakes it
   * @param longestRestNs how long it rests, while all duties say what they wait for
   * @param opener opens what it rests in
   */
  private Agent(
      long napNs,
      long longestRestNs,
      Supplier<NativeWaiter> opener,
      BooleanSupplier inUsersFunction) {
    this.napNs = napNs;
    longRest = new LongRest(longestRestNs, napNs, opener);
    thread = new Thread(this::run, "tombolo-agent");
    baton = new Baton(thread);
    callers = new Callers(baton, round, longRest, this::rouse, inUsersFunction);
    thread.setDaemon(true);
    thread.start();
  }

  /** Takes {@code duty} on. */
  public void add(Duty duty) {
    round.add(duty);
    wake();
  }

  /** Ends a rest early: there is something to do. A caller that drives rests but microseconds. */
  public void wake() {
    if (!longRest.stir() && !baton.isWithCaller()) {
      LockSupport.unpark(thread);
    }
  }

  private void rouse() {
    longRest.stir();
    LockSupport.unpark(thread);
  }

  /** Lets go of {@code duty}; a round under way may still reach it. */
  public void remove(Duty duty) {
    round.removeIf(duty::equals);
  }

  /**
   * Runs {@code task} on the agent's thread and waits for its end; on another thread it would race
   * with the duties. A duty may call this too: {@code task} then runs at once. What it throws is
   * thrown here.
   */
  public void run(Runnable task) {
    if (baton.isMine()) {
      task.run();
      return;
    }
    Errand errand = new Errand(task);
    add(errand);
    errand.await();
  }

  /**
   * For calls that wait for other ranks.
   *
   * @throws UsageException inside a duty or a function of the user's: what it would wait for goes
   *     on only when that returns
   */
  public void requireMayWait() {
    callers.requireMayWait();
  }

  /**
   * Waits until {@code awaited} is over or {@code deadline} has expired; makes the rounds itself
   * meanwhile, if it can.
   */
  void await(Awaited awaited, Deadline deadline) throws InterruptedException {
    callers.await(awaited, deadline);
  }

  /**
   * Takes {@code duty} forward, and nothing else, until {@code awaited} is over; gives up after a
   * few microseconds, and at once if another thread makes the rounds. What is nearly there needs no
   * rounds.
   */
  void glance(Duty duty, Awaited awaited) {
    callers.glance(duty, awaited);
  }

  /** The longest a round has taken so far. */
  public long longestCycleNs() {
    return round.longestNs();
  }

  /**
   * Stops the thread and waits for the last round to end, whoever makes it; duties still held are
   * dropped.
   */
  @Override
  public void close() {
    running = false;
    baton.beginClose();
    rouse();
    Deadline deadline = Deadline.after(CLOSING);
    try {
      thread.join(deadline.remainingMs());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive() || !baton.keep(deadline)) {
      LOG.warn("the agent did not end within 5 s: a vendor call is stuck; it is left behind");
    }
  }

  private void run() {
    Rest rest = new Rest();
    boolean invited = false;
    while (running) {
      if (baton.takeForAgent()) {
        Rest.Manner manner = makeRound(rest);
        invited = manner != Rest.Manner.NONE && (invited || callers.invite());
        take(manner);
      } else {
        invited = false;
        Rest.Manner.SLEEP.take(napNs);
      }
    }
    longRest.close();
  }

  private Rest.Manner makeRound(Rest rest) {
    try {
      longRest.beginRound();
      int done = round.run();
      round.settle();
      if (done > 0) {
        longRest.onWork();
      }
      Rest.Manner manner = rest.after(done, round.wasBusy(), round.endNs());
      if (manner == Rest.Manner.SLEEP) {
        longRest.prepare(round);
      }
      return manner;
    } finally {
      baton.release();
    }
  }

  private void take(Rest.Manner manner) {
    if (manner != Rest.Manner.SLEEP) {
      manner.take(napNs);
    } else if (running) { // looked at after the round began, as all that somebody stirs for
      longRest.take();
    }
  }
}
