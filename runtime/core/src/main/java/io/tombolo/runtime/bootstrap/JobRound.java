// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.primitives.Ints;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/**
 * One of the times that the ranks of a job come together in its place in a store. Ranks join a job
 * again, in the same processes or in new ones, by joining its next round: what is left of an
 * earlier one is not seen.
 *
 * <p>The first round is at the top of the place. A round is over when a rank has left it, when it
 * has failed, or when a process that had joined it is found dead. Who finds a round over that it
 * has been in goes on to the next; who has not been in it joins it, to hear why it failed.
 *
 * @param number how many rounds were before
 */
public record JobRound(int number) {
  /** In a round's place, the last number of a group that was drawn; 0 is the group of all ranks. */
  public static final String GROUPS = "groups";

  private static final String CURRENT = "round";
  private static final String CLAIM = "claim/";
  private static final String LEFT = "left";

  /** How often one looks whether the process of another host ends that stands in the way. */
  private static final Duration LOOK = Duration.ofMillis(200);

  /**
   * Makes this process rank {@code rank} of the round that comes together in {@code job}.
   *
   * @throws MismatchException if another process that lives is this rank already; within half of
   *     {@code deadline}, if it is on another host
   */
  public static JobRound enter(Store job, int rank, Deadline deadline) {
    RankClaim mine = RankClaim.ofThisProcess();
    while (true) {
      JobRound round = current(job);
      Store place = round.in(job);
      if (place.get(LEFT).isEmpty()) {
        byte[] there = place.compareSet(CLAIM + rank, new byte[0], mine.encode());
        if (Arrays.equals(there, mine.encode())) {
          return round;
        }
        awaitEnd(place, rank, mine, RankClaim.decode(there, rank), deadline);
      }
      round.succeed(job);
    }
  }

  /** The round that came together last in {@code job}, or is about to. */
  public static JobRound current(Store job) {
    return new JobRound(job.get(CURRENT).map(JobRound::number).orElse(0));
  }

  /** This round's place in {@code job}; closing it closes {@code job}. */
  public Store in(Store job) {
    return number == 0 ? job : job.narrowedTo("round-" + number);
  }

  /** The key in this round's place with which {@code rank} claims to be in it. */
  public static String claimOf(int rank) {
    return CLAIM + rank;
  }

  /** Which process is {@code rank} in {@code place}, this round's; none, if it has left well. */
  public static Optional<RankClaim> claim(Store place, int rank) {
    return place.get(claimOf(rank)).map(bytes -> RankClaim.decode(bytes, rank));
  }

  /** Says in {@code place}, this round's, that a rank has left: who joins now joins the next. */
  public static void end(Store place) {
    place.set(LEFT, new byte[] {1});
  }

  /**
   * Whether the round in {@code place} is over, as far as the next process of {@code rank} can see.
   * That others have left it does not end it for who is in it still.
   */
  static boolean isOver(Store place, int rank) {
    return FailureWatch.first(place).isPresent()
        || claim(place, rank)
            .map(claim -> claim.isNear() && claim.isGone())
            .orElseGet(() -> place.get(LEFT).isPresent());
  }

  /** Removes from {@code place} that its round is over, and why: nobody asks any more. */
  static void forget(Store place) {
    place.delete(LEFT);
    FailureWatch.forget(place);
  }

  private void succeed(Store job) {
    byte[] before = number == 0 ? new byte[0] : text(number);
    job.compareSet(CURRENT, before, text(number + 1)); // or somebody else has
  }

  private static void awaitEnd(
      Store place, int rank, RankClaim mine, RankClaim other, Deadline deadline) {
    Deadline patience = Deadline.after(Duration.ofNanos(deadline.remainingNs() / 2));
    while (place.get(LEFT).isEmpty() && FailureWatch.first(place).isEmpty()) {
      if (other.isNear() && other.isGone()) {
        FailureWatch.report(
            place,
            rank,
            "the process of an earlier run has ended without a word: " + other.where());
      } else if (other.isNear() || patience.isExpired()) {
        throw told(place, rank, twice(rank, mine, other));
      } else {
        look(place, patience);
      }
    }
  }

  private static void look(Store place, Deadline patience) {
    long ns = Math.max(0, Math.min(LOOK.toNanos(), patience.remainingNs()));
    try {
      place.await(LEFT, Deadline.after(Duration.ofNanos(ns)));
    } catch (DeadlineExceededException e) {
      return; // it may have failed instead
    }
  }

  private static MismatchException told(Store place, int rank, MismatchException e) {
    FailureWatch.report(place, rank, e);
    return e;
  }

  private static MismatchException twice(int rank, RankClaim mine, RankClaim other) {
    return new MismatchException(
        "two processes say they are rank %s: %s and %s; give each its own RANK, or the later run another TOMBOLO_GENERATION"
            .formatted(rank, other.where(), mine.where()));
  }

  private static byte[] text(int number) {
    return Integer.toString(number).getBytes(UTF_8);
  }

  private static int number(byte[] bytes) {
    Integer number = Ints.tryParse(new String(bytes, UTF_8));
    if (number == null || number < 0) {
      throw new CorruptException("the number of the job's round is none in the store");
    }
    return number;
  }
}
