package io.tombolo.runtime.exec;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread of a process that moves bytes: it runs its duties round and round, and rests when
 * none has work.
 *
 * <p>A duty that throws is told so and dropped; the others go on. Duties may be added and removed
 * by any thread.
 */
public final class Agent implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Agent.class);

  private static final long DOZE_NS = 20_000;
  private static final long SLEEP_NS = 1_000_000;

  private final Thread thread;
  private volatile ImmutableList<Duty> duties = ImmutableList.of();
  private volatile boolean running = true;
  private volatile long longestCycleNs;

  /** Starts the thread. */
  public Agent() {
    thread = new Thread(this::run, "tombolo-agent");
    thread.setDaemon(true);
    thread.start();
  }

  /** Takes {@code duty} on. */
  public void add(Duty duty) {
    synchronized (this) {
      duties = ImmutableList.<Duty>builder().addAll(duties).add(duty).build();
    }
    wake();
  }

  /** Ends a rest early: there is something to do. */
  public void wake() {
    LockSupport.unpark(thread);
  }

  /** Lets go of {@code duty}; a round under way may still reach it. */
  public void remove(Duty duty) {
    removeIf(duty::equals);
  }

  private synchronized void removeIf(Predicate<Duty> unwanted) {
    duties = duties.stream().filter(unwanted.negate()).collect(ImmutableList.toImmutableList());
  }

  /**
   * Runs {@code task} on the agent's thread and waits for its end; on another thread it would race
   * with the duties. What it throws is thrown here.
   */
  public void run(Runnable task) {
    Errand errand = new Errand(task);
    add(errand);
    errand.await();
  }

  /** The longest a round has taken so far. */
  public long longestCycleNs() {
    return longestCycleNs;
  }

  /** Stops the thread and waits for its last round to end; duties still held are dropped. */
  @Override
  public void close() {
    running = false;
    wake();
    Deadline deadline = Deadline.after(Duration.ofSeconds(5));
    try {
      thread.join(deadline.remainingMs());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      LOG.warn("the agent did not end within 5 s: a vendor call is stuck; it is left behind");
    }
  }

  private void run() {
    Rest rest = new Rest();
    long startNs = System.nanoTime();
    while (running) {
      ImmutableList<Duty> all = duties;
      int done = 0;
      boolean busy = false;
      boolean over = false;
      for (int i = 0; i < all.size(); i++) { // an iterator a round would be garbage for ever
        Duty duty = all.get(i);
        done += takeForward(duty);
        busy |= duty.isBusy();
        over |= duty.isOver();
      }
      if (over) {
        removeIf(Duty::isOver);
      }
      long endNs = System.nanoTime();
      longestCycleNs = Math.max(longestCycleNs, endNs - startNs);
      rest(rest.after(done, busy, endNs));
      startNs = System.nanoTime();
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // yielding is a courtesy; progress rests on parking
  private static void rest(Rest.Manner manner) {
    switch (manner) {
      case NONE -> {}
      case SPIN -> Thread.onSpinWait();
      case YIELD -> Thread.yield();
      case DOZE -> LockSupport.parkNanos(DOZE_NS);
      case SLEEP -> LockSupport.parkNanos(SLEEP_NS);
    }
  }

  private int takeForward(Duty duty) {
    try {
      return duty.work();
    } catch (Throwable cause) {
      remove(duty);
      duty.fail(cause);
      return 1;
    }
  }
}
