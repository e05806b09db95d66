// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How the ranks of a failed communicator agree in its place in the store who of them goes on: each
 * writes its events at the end of one list, and all read it from its beginning. Two that write at
 * once are put in order by the store, so all read the same. Not thread-safe.
 */
public final class SurvivorLog {
  private static final String EVENT = "shrink/";
  private static final String CALLS = "shrinks/";

  /** How often one looks whether a process has ended that has not come. */
  private static final Duration LOOK = Duration.ofMillis(200);

  private final Store place;
  private final int rank;
  private final Map<Integer, Optional<RankClaim>> claims = new HashMap<>();
  private Survivors seen;
  private int number;

  /** As {@code rank} of {@code size} whose communicator failed sees it in {@code place}. */
  SurvivorLog(Store place, int rank, int size) {
    this.place = place;
    this.rank = rank;
    this.seen = Survivors.unknown(size);
  }

  /**
   * Comes, and waits until each of the others has come or is known to be gone; {@code limit} at
   * most, after which whoever has not come is left behind.
   *
   * @param place that of the failed communicator in a store
   * @return what all that call this agree on
   * @throws UsageException if this rank has come before
   */
  public static Survivors agree(Store place, int rank, int size, Duration limit) {
    if (place.add(CALLS + rank, 1) > 1) {
      throw new UsageException(
          "rank %s has called shrink on this communicator before; call it on the one that it returned"
              .formatted(rank));
    }
    SurvivorLog log = new SurvivorLog(place, rank, size);
    Deadline deadline = Deadline.after(limit);
    log.come();
    while (!log.seen.isClosed()) {
      log.findGone();
      if (log.seen.missing().isEmpty() || deadline.isExpired()) {
        log.close();
      } else {
        log.awaitEvent(deadline);
      }
    }
    return log.seen;
  }

  /** What has been read so far. */
  Survivors seen() {
    return seen;
  }

  /** Says that this rank wants to go on, unless it comes too late. */
  void come() {
    write(new ShrinkEvent.Came(rank));
  }

  /** Says that nobody is waited for any more; the first who does so decides. */
  void close() {
    write(new ShrinkEvent.Closed());
  }

  private void findGone() {
    for (int other : Set.copyOf(seen.missing())) {
      if (isGone(other)) {
        write(new ShrinkEvent.Gone(other));
      }
    }
  }

  /** All had claimed their ranks; who has left well has taken its claim away. */
  private boolean isGone(int other) {
    return claims
        .computeIfAbsent(
            other,
            key -> place.get(JobRound.claimOf(key)).map(bytes -> RankClaim.decode(bytes, key)))
        .map(claim -> claim.isNear() && claim.isGone())
        .orElse(true);
  }

  /** Writes {@code event} behind all others, unless it is there or the log is closed. */
  private void write(ShrinkEvent event) {
    byte[] mine = event.encode();
    boolean isThere = false;
    while (!isThere && !seen.isClosed()) {
      byte[] there = place.compareSet(EVENT + number, new byte[0], mine);
      isThere = Arrays.equals(there, mine);
      read(there);
    }
  }

  private void awaitEvent(Deadline deadline) {
    long ns = Math.max(0, Math.min(LOOK.toNanos(), deadline.remainingNs()));
    try {
      read(place.await(EVENT + number, Deadline.after(Duration.ofNanos(ns))));
    } catch (DeadlineExceededException e) {
      return; // a process may have ended meanwhile
    }
  }

  private void read(byte[] event) {
    seen = seen.after(ShrinkEvent.decode(event));
    number++;
  }
}
