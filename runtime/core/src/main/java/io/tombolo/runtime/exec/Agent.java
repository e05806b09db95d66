package io.tombolo.runtime.exec;

import io.tombolo.base.Deadline;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
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

  private final Thread thread;
  private final long napNs;
  private final Round round = new Round();
  private final Baton baton;
  private final Callers callers;
  private volatile boolean running = true;

  /** Starts the thread. */
  public Agent() {
    this(Rest.NAP_NS);
  }

  /** Starts the thread, which naps so long while it has nothing to do and nobody wakes it. */
  Agent(long napNs) {
    this.napNs = napNs;
    thread = new Thread(this::run, "tombolo-agent");
    baton = new Baton(thread);
    callers = new Callers(baton, round, () -> LockSupport.unpark(thread));
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
    if (!baton.isWithCaller()) {
      LockSupport.unpark(thread);
    }
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
   * Waits until {@code awaited} is over or {@code deadline} has expired; makes the rounds itself
   * meanwhile, if it can.
   */
  void await(Awaited awaited, Deadline deadline) throws InterruptedException {
    callers.await(awaited, deadline);
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
    LockSupport.unpark(thread);
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
        manner.take(napNs);
      } else {
        invited = false;
        Rest.Manner.SLEEP.take(napNs);
      }
    }
  }

  private Rest.Manner makeRound(Rest rest) {
    try {
      int done = round.run();
      round.settle();
      return rest.after(done, round.wasBusy(), round.endNs());
    } finally {
      baton.release();
    }
  }
}
