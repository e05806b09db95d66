// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Whether others fill the queue of this path who do not go by its delay, as Reno and CUBIC: drains
 * do not empty it then, and what they leave grows from one to the next (the competitive mode of
 * Copa, NSDI'18 §2.2). Flows of ours keep a queue that drains empty, or that at least rests.
 */
class Rivalry {
  /** A queue is long that is longer than the path by this part and twice the slack. */
  private static final int LONG_PART = 8;

  /** A queue has grown if by this part of the path and half of the slack. */
  private static final int GROWN_PART = 64;

  /** Where this flow has not drained for so long, another has, or nothing stands in the queue. */
  private static final int ROUNDS = 25;

  /** Longer and longer queues that drains leave until rivals are believed. */
  private static final int PROOFS = 3;

  /** Drains in a row that leave no queue until rivals are gone. */
  private static final int RELEASES = 8;

  /**
   * Who halves the window at each overflow, and adds a chunk a round trip, sends 300 chunks from
   * one to the next with a window of so many. Where smaller ones overflow, it is a crowd.
   */
  private static final int CROWDED_CHUNKS = 28;

  /** The shortest round trip is that of one to two such times. */
  private static final long MEMORY_NS = 10_000_000_000L;

  private long lateNs = Long.MAX_VALUE;
  private long formerNs = Long.MAX_VALUE;
  private long halfEndNs = Moment.NOW;
  private long drainedNs = Long.MAX_VALUE;
  private long formerDrainedNs;
  private int rounds;
  private int proofs;
  private int releases;
  private double chunksBefore;
  private boolean present;

  /** A round trip in which this process has always run. */
  void sample(long rttNs, long nowNs) {
    if (nowNs >= halfEndNs) {
      formerNs = lateNs;
      lateNs = Long.MAX_VALUE;
      halfEndNs = nowNs + MEMORY_NS;
    }
    lateNs = Math.min(lateNs, rttNs);
    drainedNs = Math.min(drainedNs, rttNs);
  }

  /**
   * A round trip has ended, of a drain that has measured or of any other; a window of {@code
   * chunks} is open besides, and noise adds up to {@code slackNs}.
   */
  void endRound(boolean drained, double chunks, long slackNs) {
    rounds++;
    if (drainedNs < Long.MAX_VALUE && (drained || rounds >= ROUNDS)) {
      rounds = 0;
      judge(chunks, slackNs);
    }
  }

  private void judge(double chunks, long slackNs) {
    long pathNs = Math.min(lateNs, formerNs);
    long queueNs = drainedNs - pathNs;
    long grownNs = drainedNs - formerDrainedNs;
    formerDrainedNs = drainedNs;
    drainedNs = Long.MAX_VALUE;
    boolean isLong = queueNs > pathNs / LONG_PART + 2 * slackNs;
    if (present) {
      boolean none = PathRtt.isShort(pathNs + queueNs, pathNs, slackNs);
      releases = isLong ? 0 : none ? releases + 1 : releases;
      present = releases < RELEASES;
      proofs = present ? proofs : 0;
    } else {
      boolean grown = grownNs > pathNs / GROWN_PART + slackNs / 2;
      proofs = !isLong || grownNs < 0 ? 0 : grown ? proofs + 1 : proofs;
      chunksBefore = proofs == 0 ? chunks : chunksBefore;
      present = proofs >= PROOFS;
      releases = 0;
    }
  }

  /** The queue has overflowed at a window of {@code chunks} while rivals are believed. */
  void onOverflow(double chunks) {
    if (chunks < CROWDED_CHUNKS) {
      present = false;
      proofs = 0;
    }
  }

  boolean isPresent() {
    return present;
  }

  /** The window there was before the first proof. */
  double chunksBefore() {
    return chunksBefore;
  }
}
