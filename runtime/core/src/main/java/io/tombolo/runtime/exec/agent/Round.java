// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.device.RoundCheck;
import io.tombolo.base.WakeUps;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The duties of a process, and one round of them after the other. Duties come and go by any thread;
 * rounds are for whoever holds the {@link ProgressLock}. A round makes no garbage.
 *
 * <p>A duty that throws is let go of at once. It is told so by the agent's thread, as what it does
 * then may take long: it tells the other ranks, and gives up vendors' communicators.
 */
final class Round {
  private static final Logger LOG = LoggerFactory.getLogger(Round.class);

  /** Stands for no round in {@link #sinceNs}. */
  static final long NONE = Long.MIN_VALUE;

  private final Queue<Failure> failures = new ConcurrentLinkedQueue<>();
  private volatile Roster roster = new Roster(ImmutableList.of());
  private final AtomicLong sinceNs = new AtomicLong(NONE);
  private volatile long longestNs;
  private long startNs;
  private long endNs;
  private boolean busy;

  private record Failure(Duty duty, Throwable cause) {}

  private record Roster(ImmutableList<Duty> duties, boolean isPrompt) {
    Roster(ImmutableList<Duty> duties) {
      this(duties, duties.stream().allMatch(Duty::isPrompt));
    }
  }

  synchronized void add(Duty duty) {
    roster = new Roster(ImmutableList.<Duty>builder().addAll(roster.duties()).add(duty).build());
  }

  synchronized void removeIf(Predicate<Duty> unwanted) {
    roster =
        new Roster(
            roster.duties().stream()
                .filter(unwanted.negate())
                .collect(ImmutableList.toImmutableList()));
  }

  /** Takes every duty forward once; returns how much was done. */
  int run() {
    return run(roster);
  }

  /** As {@link #run}, but does nothing if a duty is among them that a caller must not wait in. */
  int runForCaller() {
    Roster now = roster; // looked at once: a duty may be added at any moment
    return now.isPrompt() ? run(now) : 0;
  }

  private int run(Roster now) {
    startNs = System.nanoTime();
    sinceNs.setOpaque(startNs);
    ImmutableList<Duty> all = now.duties();
    int done = 0;
    boolean anyBusy = false;
    boolean over = false;
    for (int i = 0; i < all.size(); i++) { // an iterator a round would be garbage for ever
      Duty duty = all.get(i);
      done += takeForward(duty);
      anyBusy |= duty.isBusy();
      over |= duty.isOver();
    }
    if (over) {
      removeIf(Duty::isOver);
    }
    busy = anyBusy;
    endNs = System.nanoTime();
    sinceNs.setOpaque(NONE);
    longestNs = Math.max(longestNs, endNs - startNs);
    return done;
  }

  /** Takes {@code duty} forward once; returns how much was done. */
  int takeForward(Duty duty) {
    RoundCheck.enter();
    try {
      return duty.work();
    } catch (Throwable cause) {
      letGoOf(duty, cause);
      return 1;
    } finally {
      RoundCheck.leave();
    }
  }

  /** Whether {@code duty} may have something to do; if the question throws, a round will. */
  boolean mayHaveNews(Duty duty) {
    try {
      return duty.mayHaveNews();
    } catch (Throwable e) { // such as that memory is no longer behind a mapping
      return true;
    }
  }

  private void letGoOf(Duty duty, Throwable cause) {
    removeIf(duty::equals);
    failures.add(new Failure(duty, cause));
  }

  /** Tells the duties that have failed; for the agent's thread, with the progress lock in hand. */
  void settle() {
    for (Failure failed = failures.poll(); failed != null; failed = failures.poll()) {
      sinceNs.setOpaque(System.nanoTime());
      try {
        failed.duty().fail(failed.cause());
      } catch (Throwable e) { // whatever one duty throws, the agent goes on for the others
        LOG.error("a failure of the agent's could not be told on: {}", failed.cause(), e);
      }
      sinceNs.setOpaque(NONE);
    }
  }

  /** When the round under way began, in {@link System#nanoTime}, or {@link #NONE}. Thread-safe. */
  long sinceNs() {
    return sinceNs.getOpaque();
  }

  /** The vendor's call that a duty is in, where one knows. Thread-safe. */
  Optional<String> callUnderWay() {
    return roster.duties().stream().flatMap(duty -> duty.callUnderWay().stream()).findFirst();
  }

  /** Has the duties end what is overdue; for the watchdog. */
  void tellStuck(StuckRound stuck) {
    for (Duty duty : roster.duties()) {
      try {
        duty.onStuck(stuck);
      } catch (Throwable e) { // the others' deadlines hold all the same
        LOG.error("a duty could not be told that the agent is {}", stuck.text(), e);
      }
    }
  }

  /** Whether something was under way at the end of the last round. */
  boolean wasBusy() {
    return busy;
  }

  /** When the last round began, in {@link System#nanoTime}. */
  long startNs() {
    return startNs;
  }

  /** When the last round ended, in {@link System#nanoTime}. */
  long endNs() {
    return endNs;
  }

  /** The longest a round has taken so far. Thread-safe. */
  long longestNs() {
    return longestNs;
  }

  /** Whether callers may make rounds: nothing in them waits for others' code. Thread-safe. */
  boolean isForCallers() {
    return roster.isPrompt() && failures.isEmpty();
  }

  /**
   * Tells {@code wakeUps} what all duties wait for. One that throws is told so in a round, soon.
   */
  void awaits(WakeUps wakeUps) {
    ImmutableList<Duty> all = roster.duties();
    for (int i = 0; i < all.size(); i++) {
      try {
        all.get(i).awaits(wakeUps);
      } catch (Throwable cause) { // a NIC that is gone is met here, too
        letGoOf(all.get(i), cause);
        wakeUps.soon();
      }
    }
  }

  /** Whether something is under way now. Thread-safe. */
  boolean isBusy() {
    ImmutableList<Duty> all = roster.duties();
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).isBusy()) {
        return true;
      }
    }
    return false;
  }
}
