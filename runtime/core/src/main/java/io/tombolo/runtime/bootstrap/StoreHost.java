// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import io.tombolo.base.Deadline;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Who hosts the job's store, as another process remembers it: once the store is gone, nobody can be
 * asked any more. Looked at by one thread at a time; thread-safe otherwise.
 */
public final class StoreHost {
  private static final Duration LONGEST_ROUND = Duration.ofSeconds(5);

  private static final long LOOK_NS = 1_000_000;

  private final Optional<Integer> rank;
  private final Duration round;
  private volatile Optional<RankClaim> claim = Optional.empty();
  private volatile Optional<Beat> beat = Optional.empty();

  /**
   * The host of a job's store.
   *
   * @param rank the rank whose process it is, if it is one's
   * @param silence within which it is found out that it says nothing; zero: not soon
   */
  public StoreHost(Optional<Integer> rank, Duration silence) {
    this.rank = rank;
    Duration half = silence.dividedBy(2);
    this.round = half.isZero() || half.compareTo(LONGEST_ROUND) > 0 ? LONGEST_ROUND : half;
  }

  /** This process. */
  public static StoreHost here() {
    return new StoreHost(Optional.empty(), Duration.ZERO);
  }

  /** That of the store of the job that {@code environment} describes. */
  public static StoreHost of(JobEnvironment environment) {
    return new StoreHost(environment.storeRank(), environment.liveness());
  }

  /** How often one looks whether it answers. */
  Duration round() {
    return round;
  }

  /** Remembers what there is to be known in {@code place}, the job's, as long as it answers. */
  public void look(Store place) {
    if (rank.isPresent()) {
      claim = claim.or(() -> JobRound.claim(place, rank.get()));
      beat = place.get(Heartbeat.beatOf(rank.get())).map(this::decode).or(() -> beat);
    }
  }

  private Beat decode(byte[] bytes) {
    return Beat.decode(bytes, rank.orElseThrow());
  }

  /**
   * Why the store was lost: whose process hosted it, where that is a rank's and not seen to live;
   * else {@code seen}. Blocks for a second at most, and not at all once it is interrupted.
   */
  public String whyLost(String seen) {
    return claim.flatMap(this::fate).map(this::told).orElse(seen);
  }

  private Optional<String> fate(RankClaim process) {
    if (!process.isNear()) {
      return Optional.of("it has ended or is stopped, or its host is down, or cut off");
    }
    Deadline deadline = Deadline.after(MissedRank.DYING);
    while (!process.isGone() && !process.isStopped() && !deadline.isExpired()) {
      if (Thread.currentThread().isInterrupted()) { // and so every wait would be over at once
        return Optional.empty();
      }
      LockSupport.parkNanos(LOOK_NS);
    }
    if (process.isGone()) {
      return Optional.of("its process has ended");
    }
    return process.isStopped()
        ? Optional.of("its process is stopped by a signal (SIGSTOP, Ctrl-Z)")
        : Optional.empty();
  }

  private String told(String fate) {
    return "rank %s (%s%s), which hosts the job's store, is lost together with it: %s%s"
        .formatted(
            rank.orElseThrow(),
            claim.orElseThrow().where(),
            beat.map(last -> ", called " + last.host()).orElse(""),
            fate,
            beat.map(last -> "; the last it said was that it had made " + last.calls() + " calls")
                .orElse(""));
  }
}
