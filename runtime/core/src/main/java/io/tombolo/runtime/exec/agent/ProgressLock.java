// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import io.tombolo.base.Deadline;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Who may make rounds: one thread at a time, the agent's or a caller's. Whoever takes it sees all
 * that the owners before have done. Callers that sleep without it stand in a queue. Thread-safe;
 * not reentrant.
 */
final class ProgressLock {
  /** A round takes microseconds: who has not got the lock after so many attempts sleeps. */
  private static final int MAX_ATTEMPTS = 64;

  private static final int SPINS = 16;
  private static final long CLOSING_PARK_NS = 100_000;

  private final Thread agent;
  private final AtomicReference<Thread> owner = new AtomicReference<>();
  private final AtomicInteger contenders = new AtomicInteger();
  private final Queue<Awaitable> waiters = new ConcurrentLinkedQueue<>();
  private volatile boolean closing;
  private volatile boolean stepping;

  /** The lock of the thread {@code agent}, free. */
  ProgressLock(Thread agent) {
    this.agent = agent;
  }

  /** Takes it for the agent; false if a caller has it, or is just taking it. */
  boolean takeForAgent() {
    return contenders.get() == 0 && take();
  }

  /** Takes it for a caller; false if another caller has it, or the agent is long in its round. */
  @SuppressWarnings("ThreadPriorityCheck") // yielding is a courtesy: who fails here sleeps
  boolean takeForCaller() {
    if (closing) {
      return false;
    }
    if (take()) {
      return true; // even if it is closing by now: whoever has it gives it back
    }
    contenders.incrementAndGet();
    try {
      for (int attempt = 0; attempt < MAX_ATTEMPTS && !isWithCaller() && !closing; attempt++) {
        if (take()) {
          return true;
        }
        if (attempt < SPINS) {
          Thread.onSpinWait();
        } else {
          Thread.yield();
        }
      }
      return false;
    } finally {
      contenders.decrementAndGet();
    }
  }

  /**
   * Takes it for a moment, if nobody has it: for one look that waits for nothing. The agent, should
   * it come meanwhile, does not go away for long.
   */
  boolean takeForStep() {
    if (closing || !take()) {
      return false;
    }
    stepping = true;
    return true;
  }

  /** Whether who has it is about to give it back. */
  boolean isForStep() {
    return stepping;
  }

  private boolean take() {
    return owner.get() == null && owner.compareAndSet(null, Thread.currentThread());
  }

  /** Gives it back. */
  void release() {
    stepping = false;
    owner.set(null);
  }

  /** Who makes rounds, or would be the next to. */
  Thread driver() {
    Thread now = owner.get();
    return now == null ? agent : now;
  }

  boolean isFree() {
    return owner.get() == null;
  }

  /** Whether the calling thread has it. */
  boolean isMine() {
    return Thread.currentThread().equals(owner.get());
  }

  boolean isWithCaller() {
    Thread now = owner.get();
    return now != null && !now.equals(agent);
  }

  /** {@code waiter} may be signalled from now on. */
  void enqueue(Awaitable waiter) {
    waiters.add(waiter);
  }

  /** {@code waiter} is awake; whether nobody had signalled it. */
  boolean dequeue(Awaitable waiter) {
    return waiters.remove(waiter);
  }

  /** Wakes the caller that has slept longest, to take the lock; false if none sleeps. */
  boolean signalNext() {
    Awaitable first = waiters.poll();
    if (first == null) {
      return false;
    }
    first.signal();
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
      LockSupport.parkNanos(CLOSING_PARK_NS);
    }
    return true;
  }
}
