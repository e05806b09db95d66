package io.tombolo.runtime.exec;

import io.tombolo.base.Deadline;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Who may make rounds: one thread at a time, the agent's or a caller's. Whoever takes it sees all
 * that the holders before have done. Callers that sleep without it stand in a queue. Thread-safe;
 * not reentrant.
 */
final class Baton {
  /** A round takes microseconds: who has not got the baton after so many looks sleeps instead. */
  private static final int LOOKS = 64;

  private static final int SPINS = 16;
  private static final long CLOSING_REST_NS = 100_000;

  private final Thread agent;
  private final AtomicReference<Thread> holder = new AtomicReference<>();
  private final AtomicInteger wanting = new AtomicInteger();
  private final Queue<Awaited> sleepers = new ConcurrentLinkedQueue<>();
  private volatile boolean closing;

  /** The baton of the thread {@code agent}, free. */
  Baton(Thread agent) {
    this.agent = agent;
  }

  /** Takes it for the agent; false if a caller has it, or is just taking it. */
  boolean takeForAgent() {
    return wanting.get() == 0 && take();
  }

  /** Takes it for a caller; false if another caller has it, or the agent is long in its round. */
  @SuppressWarnings("ThreadPriorityCheck") // yielding is a courtesy: who fails here sleeps
  boolean takeForCaller() {
    if (closing || take()) {
      return !closing;
    }
    wanting.incrementAndGet();
    try {
      for (int look = 0; look < LOOKS && !isWithCaller() && !closing; look++) {
        if (take()) {
          return true;
        }
        if (look < SPINS) {
          Thread.onSpinWait();
        } else {
          Thread.yield();
        }
      }
      return false;
    } finally {
      wanting.decrementAndGet();
    }
  }

  private boolean take() {
    return holder.get() == null && holder.compareAndSet(null, Thread.currentThread());
  }

  /** Gives it back. */
  void release() {
    holder.set(null);
  }

  boolean isFree() {
    return holder.get() == null;
  }

  /** Whether the calling thread has it. */
  boolean isMine() {
    return Thread.currentThread().equals(holder.get());
  }

  boolean isWithCaller() {
    Thread now = holder.get();
    return now != null && !now.equals(agent);
  }

  /** {@code sleeper} may be nudged from now on. */
  void enlist(Awaited sleeper) {
    sleepers.add(sleeper);
  }

  /** {@code sleeper} is awake; whether nobody had nudged it. */
  boolean delist(Awaited sleeper) {
    return sleepers.remove(sleeper);
  }

  /** Wakes the caller that has slept longest, to take the baton; false if none sleeps. */
  boolean nudge() {
    Awaited first = sleepers.poll();
    if (first == null) {
      return false;
    }
    first.nudge();
    return true;
  }

  /** Whether no caller is to take it any more, and who has it is to give it back. */
  boolean isClosing() {
    return closing;
  }

  /** Callers leave it alone from now on. */
  void beginClose() {
    closing = true;
  }

  /** Waits for it and keeps it for ever, so that no round is made any more; whether it came. */
  boolean keep(Deadline deadline) {
    while (!take()) {
      if (deadline.isExpired()) {
        return false;
      }
      LockSupport.parkNanos(CLOSING_REST_NS);
    }
    return true;
  }
}
