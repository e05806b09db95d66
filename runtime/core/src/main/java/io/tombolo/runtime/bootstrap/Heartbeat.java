// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import io.tombolo.base.Deadline;
import io.tombolo.base.Interrupts;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the others through the store that this rank lives, and looks whether the next rank does:
 * one that is stopped, or cut off, ends no connection. Who finds it silent reports it as the job's
 * failure, which all ranks hear of. If it leaves, the one after it is the next.
 *
 * <p>Each rank looks at one other, so a beat costs the store two requests for each rank, whatever
 * their number. A thread of its own makes them, which no call holds up.
 *
 * <p>Whether the next rank's process has ended, if it is on this host, is looked for between the
 * beats, too, which asks nobody but the kernel. One that is there is silent only if it is seen to
 * be stopped; else it is merely slow. One that is known to be about to come is looked for as well.
 */
public final class Heartbeat implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);

  private static final String BEATS = "alive/";
  private static final Duration CLOSING = Duration.ofSeconds(1);

  /** How often one looks whether a process of this host has ended. */
  private static final long GLANCE_NS = TimeUnit.MILLISECONDS.toNanos(500);

  /** After so many, one asks which process that is, as long as it is not known. */
  private static final int GLANCES = 2;

  private final Store store;
  private final int rank;
  private final int size;
  private final Duration period;
  private final String host;
  private final LongSupplier calls;
  private final Thread thread = new Thread(this::run, "tombolo-heartbeat");
  private volatile boolean running = true;
  private Consumer<RuntimeException> onLost = e -> {};
  private volatile IntFunction<Optional<RankClaim>> comers = rank -> Optional.empty();
  private volatile boolean haveAllCome;
  private int next;
  private Silence silence;
  private Optional<RankClaim> claimed = Optional.empty();
  private boolean watches = true;
  private boolean hasBeaten;
  private long beats;

  /**
   * Of {@code rank} of {@code size} that meet in {@code store}, on the host that people call {@code
   * host}; the first beat is there when this returns.
   *
   * @param limit within which silence is found; zero if nobody is to be
   * @param calls how many calls this rank has made; asked on the heartbeat's thread
   */
  public Heartbeat(
      Store store, int rank, int size, Duration limit, String host, LongSupplier calls) {
    this.store = store;
    this.rank = rank;
    this.size = size;
    this.next = (rank + 1) % size;
    this.period = limit.dividedBy(Silence.MISSED + 1);
    this.host = host;
    this.calls = calls;
    this.silence = new Silence(period);
    thread.setDaemon(true);
    if (next != rank) {
      beat();
    }
  }

  /** The key under which {@code rank} shows that it lives. */
  static String beatOf(int rank) {
    return BEATS + rank;
  }

  /**
   * Has the next rank looked after before it comes, too, as far as its process is on this host.
   *
   * @param processes which process each rank will be, where that is known
   */
  public void expect(IntFunction<Optional<RankClaim>> processes) {
    comers = processes;
  }

  /** All have come: one of whom nothing is seen from now on has left. */
  public void allHaveCome() {
    comers = rank -> Optional.empty();
    haveAllCome = true;
  }

  /**
   * Goes on beating, and looks after the next rank from when it comes, or is expected.
   *
   * @param onLost is told, on the heartbeat's thread, that it cannot: others may not notice
   */
  public void start(Consumer<RuntimeException> onLost) {
    this.onLost = onLost;
    if (next != rank && !period.isZero()) {
      thread.start();
    }
  }

  private void run() {
    try {
      while (running) {
        awaitBeat();
        if (running) {
          beat();
          look();
        }
      }
    } catch (RuntimeException e) {
      LOG.warn("rank {} shows no more that it lives: {}", rank, e.getMessage());
      if (running) {
        onLost.accept(e);
      }
    }
  }

  /** Until the next beat is due. */
  private void awaitBeat() {
    Deadline due = Deadline.after(period);
    for (int glances = 1; running && !due.isExpired(); glances++) {
      LockSupport.parkNanos(Math.min(GLANCE_NS, due.remainingNs()));
      if (running && glances % GLANCES == 0) {
        ask();
      }
      if (running) {
        glance();
      }
    }
  }

  private void beat() {
    Beat beat = new Beat(beats++, period.toMillis(), calls.getAsLong(), host);
    store.set(beatOf(rank), beat.encode());
  }

  /** A rank that has left the job has taken its beats away; before it comes, there are none. */
  void look() {
    Optional<Beat> seen = watches ? seen() : Optional.empty();
    while (watches && seen.isEmpty() && (hasBeaten || haveAllCome)) {
      goOn();
      seen = watches ? seen() : Optional.empty();
    }
    ask();
    glance();
    if (watches && seen.isPresent() && silence.look(seen.get())) {
      Beat last = seen.get();
      claim().ifPresent(claim -> judge(last, claim));
    }
  }

  /** Looks after the rank behind one that has left, whom nobody looks after any more. */
  private void goOn() {
    next = (next + 1) % size;
    watches = next != rank;
    hasBeaten = false;
    claimed = Optional.empty();
    silence = new Silence(period);
  }

  private void ask() {
    if (watches && claimed.isEmpty()) {
      claimed = claim();
    }
  }

  /** A process of this host that has ended is missed at once: it need not miss beats first. */
  void glance() {
    if (watches && hasEnded(claimed)) {
      claimed = claim(); // one that has left, and well, has taken it away
      if (hasEnded(claimed)) {
        watches = false;
        FailureWatch.report(
            store, JobFailure.seen(MissedRank.of(store, next, claimed.get()).ended()));
      }
    }
  }

  private static boolean hasEnded(Optional<RankClaim> claim) {
    return claim.filter(process -> process.isNear() && process.isGone()).isPresent();
  }

  /** Of another host nobody knows how far one is that has not come yet. */
  private Optional<RankClaim> claim() {
    Optional<RankClaim> claim = JobRound.claim(store, next);
    return claim.or(() -> comers.apply(next).filter(RankClaim::isNear)); // asked last: see judge
  }

  /** Who has claimed its rank, or is known to come, is there, and about to beat. */
  private Optional<Beat> seen() {
    Optional<Beat> beat = store.get(beatOf(next)).map(bytes -> Beat.decode(bytes, next));
    hasBeaten |= beat.isPresent();
    return hasBeaten || claim().isEmpty() ? beat : Optional.of(Beat.none(period));
  }

  /**
   * One that has left meanwhile, and well, has taken its claim away. By then all have come, so
   * whoever asks after the claim whether it is expected hears that it is not.
   */
  private void judge(Beat last, RankClaim claim) {
    Optional<String> why = whySilent(claim).filter(seen -> claim().isPresent());
    if (why.isPresent()) {
      watches = false;
      String failed = "has not been heard of for " + silence.lasted().toMillis() + " ms";
      FailureWatch.report(store, new MissedRank(next, claim, last).told(failed, why.get()));
    } else {
      LOG.warn(
          "rank {} ({}) has not been heard of for {} ms, but lives: its machine may be crowded",
          next,
          claim.where(),
          silence.lasted().toMillis());
      silence.forgive();
    }
  }

  private Optional<String> whySilent(RankClaim claim) {
    if (!claim.isNear()) {
      return Optional.of(
          "it is stopped, or its host is down, or cut off from the store;"
              + " look at that host, the cable and the switch"
              + way());
    }
    return claim.isStopped()
        ? Optional.of("its process is stopped by a signal (SIGSTOP, Ctrl-Z)")
        : Optional.empty();
  }

  /**
   * By which fabric this rank reaches the next one, as it has said; nothing before it is in, or if
   * a vendor's library joins the two.
   */
  private String way() {
    return Presence.of(store, rank)
        .map(presence -> presence.routes().get(next))
        .map(route -> "; rank " + rank + " reaches it over " + route)
        .orElse("");
  }

  /** Ends the beats; what is there of them is removed by who has set it. */
  @Override
  public void close() {
    running = false;
    LockSupport.unpark(thread);
    boolean unused = Interrupts.join(thread, Deadline.after(CLOSING));
  }
}
