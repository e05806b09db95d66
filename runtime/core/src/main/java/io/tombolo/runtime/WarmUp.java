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
 * waits, a thread makes calls in a {@link PrivateJob}. It ends when the quick compiler, C1, has had
 * enough of them, or when its time is over, which begins when the others have come: until then the
 * rank waits anyhow. Nothing depends on it: what it meets is logged, and the rank joins all the
 * same.
 *
 * <p>A process does this once, whatever it joins, as its code stays compiled; if a join fails
 * before much is, the next one does it.
 */
final class WarmUp implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

  /**
   * Each makes two calls or four, of one kind in {@link PrivateJob#CYCLE}. C1 compiles what was
   * called 200 times ({@code -XX:Tier3InvocationThreshold}; 20, where it is alone by our rule),
   * some time later, on a thread of its own: also what only two calls of a cycle run through. The
   * thorough compiler, where it is on, wants 5000: it comes to work beside the user's calls.
   */
  private static final int TURNS = 1000;

  /** With fewer turns than these, most is still to be compiled. */
  static final int ENOUGH = 100;

  /** What of its time is for ending, so that nothing of it is beside a user's first calls. */
  private static final int ENDING_SHARE = 10;

  /** Files that joining may want beside it: who has fewer left is to be told of joining's needs. */
  static final long FILES_LEFT = 256;

  /** Whether a rank of this process has it done: compiled code is the process's, too. */
  static final AtomicBoolean TAKEN = new AtomicBoolean();

  /** While others are waited for, it ends after its turns; should it be stuck, so soon. */
  private static final Duration UNHURRIED = Duration.ofMinutes(1);

  private final long begunNs = System.nanoTime();
  private final Duration limit;
  private final AtomicBoolean taken;
  private final AtomicInteger turns = new AtomicInteger();
  private final Optional<Thread> thread;
  private volatile Deadline deadline = Deadline.after(UNHURRIED);
  private volatile long lastedNs;
  private volatile boolean givenUp;
  private volatile boolean failed;

  private WarmUp(Duration limit, Optional<Supplier<PrivateJob>> opening, AtomicBoolean taken) {
    this.limit = limit;
    this.taken = taken;
    this.thread = opening.flatMap(this::started);
  }

  private Optional<Thread> started(Supplier<PrivateJob> opening) {
    Thread own = new Thread(() -> make(opening), "tombolo-warm-up");
    own.setDaemon(true);
    try {
      own.start();
      return Optional.of(own);
    } catch (OutOfMemoryError e) { // there are no more threads, and joining needs some
      LOG.debug("warming up did not begin", e);
      taken.set(false);
      return Optional.empty();
    }
  }

  /**
   * Begins, if this is the process's first and {@code limit} is not zero; not where ranks of this
   * host share a core, files are few, or JDK Flight Recorder would have the calls.
   *
   * @param limit the time that it has from {@link #othersAreHere} on
   * @param staged as in {@link PrivateJob}
   */
  static WarmUp begin(Duration limit, CoreShare cores, boolean staged) {
    boolean wanted =
        !limit.isZero()
            && cores.isEnough()
            && !TAKEN.get()
            && !OperationEvents.areRecorded()
            && !OpenFiles.areFewerLeftThan(FILES_LEFT);
    return wanted && TAKEN.compareAndSet(false, true)
        ? begun(limit, () -> new PrivateJob(staged), TAKEN)
        : new WarmUp(limit, Optional.empty(), TAKEN);
  }

  /**
   * Begins in the job that {@code opening} opens, on its thread.
   *
   * @param taken false from its end on if that comes before enough turns were made
   */
  static WarmUp begun(Duration limit, Supplier<PrivateJob> opening, AtomicBoolean taken) {
    return new WarmUp(limit, Optional.of(opening), taken);
  }

  /** Whether it makes calls, or has. */
  boolean hasBegun() {
    return thread.isPresent();
  }

  /** From now on the rank might be in, but for this: its time begins. */
  void othersAreHere() {
    deadline = Deadline.after(limit);
  }

  private void make(Supplier<PrivateJob> opening) {
    try (PrivateJob job = opening.get()) {
      while (mayGoOn()) {
        job.call();
        turns.incrementAndGet();
      }
    } catch (Throwable e) { // memory or threads may have run out, which ends only this
      failed = true;
      LOG.debug("warming up ended after {} turns", turns.get(), e);
    } finally {
      lastedNs = System.nanoTime() - begunNs;
      if (turns.get() < ENOUGH) {
        taken.set(false);
      }
    }
  }

  private boolean mayGoOn() {
    Deadline end = deadline;
    return !givenUp
        && turns.get() < TURNS
        && end.elapsedNs() < end.budgetNs() - end.budgetNs() / ENDING_SHARE
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
    if (failed && turns.get() == 0) {
      return "; could not warm up";
    }
    return "; %s turns warmed it up%s"
        .formatted(turns.get(), ended ? " in " + lastedNs / 1_000_000 + " ms" : ", and are ending");
  }

  /** Has it end soon; waits for nothing. */
  @Override
  public void close() {
    givenUp = true;
  }
}
