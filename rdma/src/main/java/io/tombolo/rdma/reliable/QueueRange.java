// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * How full the queue is within what it has been of late: only a full one overflows, and only what
 * is lost elsewhere is chance. Where many fill a queue for each other, the drain of one leaves it
 * full. Whoever took what it loses then for chance would send more for it, and then the others
 * would.
 */
class QueueRange {
  /** It is that of one to two times so many round trips. */
  private static final int MEMORY_ROUNDS = 256;

  /**
   * A queue that others overflow moves: a round trip that stays the same for so long is that of a
   * path which has become longer.
   */
  private static final int STEADY_ROUNDS = 64;

  /** Of what the path has become longer, jitter may move its round trip by this part. */
  private static final int STEADY_PART = 8;

  /** Who fills a queue for each other leaves it empty for a few round trips at times. */
  private static final int IDLE_ROUNDS = 8;

  private long shortestNs = Long.MAX_VALUE;
  private long formerShortestNs = Long.MAX_VALUE;
  private long longestNs;
  private long formerLongestNs;
  private int rounds;
  private long steadyLeastNs = Long.MAX_VALUE;
  private long steadyMostNs;
  private int steadyRounds;
  private long drainNs = Long.MAX_VALUE;
  private boolean drained;
  private long formerStandingNs;
  private int idleRounds;

  /** A round trip in which this process has always run. */
  void sample(long rttNs) {
    shortestNs = Math.min(shortestNs, rttNs);
    drainNs = Math.min(drainNs, rttNs);
  }

  /** A round trip has ended; it takes {@code standingNs} with the queue that stands. */
  void endRound(long standingNs, long slackNs) {
    longestNs = Math.max(longestNs, standingNs);
    formerStandingNs = standingNs;
    idleRounds = PathRtt.isShort(standingNs, pathNs(), slackNs) ? idleRounds + 1 : 0;
    rounds++;
    if (rounds == MEMORY_ROUNDS) {
      forget(shortestNs, longestNs);
    }
    lookForALongerPath(standingNs, slackNs);
  }

  private void lookForALongerPath(long standingNs, long slackNs) {
    steadyLeastNs = Math.min(steadyLeastNs, standingNs);
    steadyMostNs = Math.max(steadyMostNs, standingNs);
    steadyRounds++;
    boolean steady =
        PathRtt.isShort(steadyMostNs, steadyLeastNs, slackNs)
            || steadyMostNs - steadyLeastNs < (steadyLeastNs - pathNs()) / STEADY_PART;
    boolean longer =
        steady
            && steadyRounds >= STEADY_ROUNDS
            && !PathRtt.isShort(steadyLeastNs, pathNs(), slackNs);
    if (longer) {
      forget(steadyLeastNs, steadyMostNs);
    }
    if (!steady) {
      steadyLeastNs = Long.MAX_VALUE;
      steadyMostNs = 0;
      steadyRounds = 0;
    }
  }

  /** What was before these is forgotten. */
  private void forget(long leastNs, long mostNs) {
    rounds = 0;
    formerShortestNs = leastNs;
    formerLongestNs = mostNs;
    shortestNs = Long.MAX_VALUE;
    longestNs = 0;
  }

  void beginDrain() {
    drainNs = Long.MAX_VALUE;
  }

  /** The drain has measured; one of which no round trip is known tells nothing. */
  void endDrain(long slackNs) {
    drained = drainNs == Long.MAX_VALUE ? drained : isLessThanHalf(drainNs, slackNs);
  }

  /**
   * Whether the last drain has found less than half of the longest queue. No empty one is asked
   * for: jitter may be longer than the noise that is known, and a message's short last chunk takes
   * less time than any other can.
   */
  boolean isDrained() {
    return drained;
  }

  /**
   * Whether neither the queue that stands, {@code standingNs} with the path, nor that of the round
   * trip before is half of the longest. What is longer for a moment only tells of no queue.
   */
  boolean isLow(long standingNs, long slackNs) {
    return isLessThanHalf(Math.max(standingNs, formerStandingNs), slackNs);
  }

  /** Whether no queue has stood for a while, so that nobody fills it. */
  boolean isIdle() {
    return idleRounds >= IDLE_ROUNDS;
  }

  private boolean isLessThanHalf(long rttNs, long slackNs) {
    long mostNs = Math.max(longestNs, formerLongestNs);
    return PathRtt.isShort(rttNs, pathNs(), slackNs) || rttNs - pathNs() < (mostNs - pathNs()) / 2;
  }

  private long pathNs() {
    return Math.min(shortestNs, formerShortestNs);
  }
}
