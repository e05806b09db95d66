// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.Deadline;
import io.tombolo.base.Interrupts;
import io.tombolo.base.OpenFiles;
import io.tombolo.runtime.recorder.OperationEvents;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has what calls run through compiled before the first of a user's: while a rank joins, and mostly
 * waits, a thread makes calls in a {@link PrivateJob}. It ends when the compiler has had enough of
 * them, or when its time is over. Nothing depends on it: what it meets is logged, and the rank
 * joins all the same.
 *
 * <p>A process does this once, whatever it joins: its code stays compiled.
 */
final class WarmUp implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

  /**
   * Each makes four calls, and HotSpot compiles for good what was called 15 000 times at the latest
   * ({@code -XX:Tier4CompileThreshold}); for a start, 200 are enough ({@code
   * -XX:Tier3InvocationThreshold}).
   */
  private static final int TURNS = 5_000;

  /** What of its time is for ending, so that nothing of it is beside a user's first calls. */
  private static final int ENDING_SHARE = 10;

  /** Files that joining may want beside it: who has fewer left is to be told of joining's needs. */
  private static final long FILES_LEFT = 256;

  /** Whether a rank of this process has begun: compiled code is the process's, too. */
  private static final AtomicBoolean BEGUN = new AtomicBoolean();

  private final Deadline deadline;
  private final long callingNs;
  private final AtomicInteger turns = new AtomicInteger();
  private final Optional<Thread> thread;
  private volatile long lastedNs;
  private volatile boolean givenUp;

  private WarmUp(Duration limit, Optional<Supplier<PrivateJob>> opening) {
    this.deadline = Deadline.after(limit);
    this.callingNs = deadline.budgetNs() - deadline.budgetNs() / ENDING_SHARE;
    this.thread = opening.map(job -> new Thread(() -> make(job), "tombolo-warm-up"));
    thread.ifPresent(
        own -> {
          own.setDaemon(true);
          own.start();
        });
  }

  /**
   * Begins, if this is the process's first and {@code limit} is not zero; not where ranks of this
   * host share a core, files are few, or JDK Flight Recorder would have the calls.
   *
   * @param staged as in {@link PrivateJob}
   */
  static WarmUp begin(Duration limit, CoreShare cores, boolean staged) {
    boolean wanted =
        !limit.isZero()
            && cores.isEnough()
            && !OperationEvents.areRecorded()
            && !OpenFiles.areFewerLeftThan(FILES_LEFT);
    return wanted && BEGUN.compareAndSet(false, true)
        ? begun(limit, () -> new PrivateJob(staged))
        : new WarmUp(limit, Optional.empty());
  }

  /** Begins in the job that {@code opening} opens, on its thread. */
  static WarmUp begun(Duration limit, Supplier<PrivateJob> opening) {
    return new WarmUp(limit, Optional.of(opening));
  }

  private void make(Supplier<PrivateJob> opening) {
    try (PrivateJob job = opening.get()) {
      while (mayGoOn()) {
        job.call();
        turns.incrementAndGet();
      }
    } catch (RuntimeException | LinkageError e) {
      LOG.debug("warming up ended after {} turns", turns.get(), e);
    } finally {
      lastedNs = deadline.elapsedNs();
    }
  }

  private boolean mayGoOn() {
    return !givenUp
        && turns.get() < TURNS
        && deadline.elapsedNs() < callingNs
        && !OperationEvents.areRecorded();
  }

  /**
   * Waits for the end, but not when its time is over.
   *
   * @return what was done, as the line about joining ends; empty if nothing was
   */
  String await() {
    if (thread.isEmpty()) {
      return "";
    }
    boolean ended = Interrupts.join(thread.get(), deadline);
    return "; %s turns warmed it up%s"
        .formatted(turns.get(), ended ? " in " + lastedNs / 1_000_000 + " ms" : ", and are ending");
  }

  /** Has it end soon; waits for nothing. */
  @Override
  public void close() {
    givenUp = true;
  }
}
