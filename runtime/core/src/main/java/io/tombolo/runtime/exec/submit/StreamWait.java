// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.runtime.exec.agent.Agent;
import java.util.concurrent.locks.LockSupport;

/**
 * How a caller waits for an operation that its stream carries out: it looks by itself, so that
 * nobody has to be woken at the end. What it does for that waits for nothing; the agent sees to the
 * deadline and to what goes wrong.
 */
final class StreamWait {
  private static final int SPINS = 5;

  /** Small operations have ended by then, and for others a mark of their end costs nothing. */
  private static final long SOON_NS = 200_000;

  /**
   * Who yields takes no core from who wants it; but a park takes some 70 µs more than it is told,
   * and its end takes the core from an emulated device that works there. So only what is long
   * anyway is waited for so.
   */
  private static final long AWAKE_NS = 20_000_000;

  private static final long PARK_NS = 20_000;

  /**
   * A park takes such a part of what has been waited already: so it makes the whole little longer,
   * and who waits for long seldom takes a core from who works. An emulated device works on one.
   */
  private static final int PART = 64;

  private final Agent agent;
  private final Runnable settle;

  /**
   * {@code settle} ends the operations that have ended, in the place of a round of {@code agent}.
   */
  StreamWait(Agent agent, Runnable settle) {
    this.agent = agent;
    this.settle = settle;
  }

  /** Waits until {@code operation} is done, or {@code deadline} has expired. */
  void await(SubmittedOperation operation, Deadline deadline) throws InterruptedException {
    if (operation.isDone()) {
      return;
    }
    agent.requireMayWait();
    long begunNs = System.nanoTime();
    for (int look = 0; !operation.isDone() && !deadline.isExpired(); look++) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      boolean unused = agent.step(settle);
      if (!operation.isDone()) {
        idle(look, System.nanoTime() - begunNs);
      }
    }
  }

  /**
   * Waits until {@code stream} has carried out all that is queued on it, but not for long; whether
   * it has. So nothing need be queued there to tell.
   */
  boolean isSoonIdle(Stream stream) {
    long begunNs = System.nanoTime();
    long waitedNs = 0;
    for (int look = 0; waitedNs < SOON_NS; look++) {
      if (stream.isIdle()) {
        return true;
      }
      boolean unused = agent.step(settle);
      idle(look, waitedNs);
      waitedNs = System.nanoTime() - begunNs;
    }
    return false;
  }

  @SuppressWarnings("ThreadPriorityCheck") // yielding is a courtesy; progress rests on parking
  private static void idle(int look, long waitedNs) {
    if (look < SPINS) {
      Thread.onSpinWait();
    } else if (waitedNs < AWAKE_NS) {
      Thread.yield();
    } else {
      LockSupport.parkNanos(Math.max(PARK_NS, waitedNs / PART));
    }
  }
}
