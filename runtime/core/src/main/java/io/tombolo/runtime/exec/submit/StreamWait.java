// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.runtime.exec.agent.Agent;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * How a caller waits for an operation that its stream carries out: it looks by itself, so that
 * nobody has to be woken at the end. What it does for that waits for nothing; the agent sees to the
 * deadline and to what goes wrong.
 *
 * <p>A look is cheap: it reads a word, or asks the stream, and then yields, as a device that is
 * emulated works on this very core. The step of the agent that ends the operation is made when
 * there is something to end, and seldom before.
 */
final class StreamWait {
  /** Small operations have ended by then, and for others a mark of their end costs nothing. */
  private static final long SOON_NS = 200_000;

  /**
   * So long a caller waits alone. An agent that is told naps and looks, again and again, on this
   * very core if there is no other: that is little beside what takes longer.
   */
  private static final Duration ALONE = Duration.ofMillis(20);

  /**
   * The stream looks at itself for so long, which costs less than to ask it from here each time:
   * what ends just after a look is seen the sooner.
   */
  private static final long LOOK_NS = 20_000;

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
  private final Predicate<SubmittedOperation> hasEnded;

  /**
   * {@code settle} ends the operations that have ended, in the place of a round of {@code agent};
   * {@code hasEnded} reads whether the stream has carried one out.
   */
  StreamWait(Agent agent, Runnable settle, Predicate<SubmittedOperation> hasEnded) {
    this.agent = agent;
    this.settle = settle;
    this.hasEnded = hasEnded;
  }

  /** Waits until {@code operation} is done, or {@code deadline}, set for this wait, has expired. */
  void await(SubmittedOperation operation, Deadline deadline) throws InterruptedException {
    if (!operation.isDone()) {
      await(operation, deadline, Long.MAX_VALUE, () -> {});
    }
  }

  /**
   * As the other, where nobody else knows of {@code operation}, which has {@code allowed}: whoever
   * sees to its deadline and to what goes wrong is told if it takes long or the wait is given up,
   * and at once if its call has failed.
   */
  void awaitAlone(
      SubmittedOperation operation, Deadline deadline, Duration allowed, Runnable tellOthers)
      throws InterruptedException {
    boolean hasFailed = operation.handoff().orElseThrow().thrown().isPresent();
    Duration alone = allowed.compareTo(ALONE) < 0 ? allowed : ALONE;
    await(operation, deadline, hasFailed ? 0 : alone.toNanos(), tellOthers);
  }

  private void await(
      SubmittedOperation operation, Deadline deadline, long aloneNs, Runnable tellOthers)
      throws InterruptedException {
    boolean told = false;
    try {
      agent.requireMayWait();
      for (int look = 0; !operation.isDone(); look++) {
        long waitedNs = deadline.elapsedNs();
        if (waitedNs >= deadline.budgetNs()) {
          return;
        }
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        if (!told && waitedNs >= aloneNs) {
          told = true;
          tellOthers.run();
        }
        if (isForStep(look) || hasEnded.test(operation)) {
          boolean unused = agent.step(settle);
        }
        if (!operation.isDone()) {
          idle(waitedNs);
        }
      }
    } finally {
      if (!told && !operation.isDone()) {
        tellOthers.run();
      }
    }
  }

  /**
   * Ends {@code operation} if the stream has carried it out and the votes are there; whether it is
   * done. Waits for nothing, and reads no clock.
   */
  boolean settle(SubmittedOperation operation) {
    if (!operation.isDone() && hasEnded.test(operation)) {
      boolean unused = agent.step(settle);
    }
    return operation.isDone();
  }

  /**
   * Looks 0, 1, 2, 4, 8, …: before the stream is done there are only votes to take forward, which
   * the agent does, too, now and then.
   */
  private static boolean isForStep(int look) {
    return (look & look - 1) == 0;
  }

  /**
   * Waits until {@code stream} has carried out all that is queued on it, but not for long; whether
   * it has. So nothing need be queued there to tell. What there is to do for the operation before
   * its end is done meanwhile, once: at once where it has messages to send, but where {@code
   * votesAreShown} already, only if the stream is not idle after a look. Most calls have ended by
   * then, and a step in between would keep the caller from seeing it.
   */
  boolean isSoonIdle(Stream stream, boolean votesAreShown) {
    long stepNs = votesAreShown ? LOOK_NS : 0;
    long begunNs = System.nanoTime();
    boolean stepped = false;
    for (long waitedNs = 0; waitedNs < SOON_NS; waitedNs = System.nanoTime() - begunNs) {
      stepped = stepped || (waitedNs >= stepNs && agent.step(settle));
      if (stream.isIdleWithin(LOOK_NS)) {
        return true;
      }
      idle(waitedNs);
    }
    return false;
  }

  /** Who is waited for may need this very core: so it is given away at once. */
  @SuppressWarnings("ThreadPriorityCheck") // yielding is a courtesy; progress rests on parking
  private static void idle(long waitedNs) {
    if (waitedNs < AWAKE_NS) {
      Thread.yield();
    } else {
      LockSupport.parkNanos(Math.max(PARK_NS, waitedNs / PART));
    }
  }
}
