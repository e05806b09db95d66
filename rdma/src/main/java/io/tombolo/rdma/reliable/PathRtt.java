// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import java.util.Arrays;

/**
 * What a path's round trips tell of its queue: the shortest of late, and the shortest of several
 * drains, between which the path is taken for empty. The difference is the queue that stands (Copa,
 * NSDI'18 §2.2); what is longer for a moment only is noise, or a longer one of several ways.
 */
final class PathRtt {
  /** A path that has become longer is believed after so many drains. */
  private static final int DRAINS = 2;

  /** A round trip is short that is longer than the path's by this part and half of the slack. */
  private static final int SHORT_PART = 32;

  private final long[] shortestNs = new long[DRAINS];
  private int latest;
  private long lateNs = Long.MAX_VALUE;
  private long formerNs = Long.MAX_VALUE;
  private long halfEndNs = Moment.NOW;

  PathRtt() {
    Arrays.fill(shortestNs, Long.MAX_VALUE);
  }

  /** Whether a round trip of {@code rttNs} met no queue on a path of {@code pathNs}. */
  static boolean isShort(long rttNs, long pathNs, long slackNs) {
    return rttNs - pathNs <= pathNs / SHORT_PART + slackNs / 2;
  }

  /** A round trip in which this process has always run. */
  void sample(long rttNs, long nowNs) {
    shortestNs[latest] = Math.min(shortestNs[latest], rttNs);
    sampleQueue(rttNs, nowNs);
  }

  /** A round trip that tells of the queue only. */
  void sampleQueue(long rttNs, long nowNs) {
    if (nowNs >= halfEndNs) {
      formerNs = lateNs;
      lateNs = Long.MAX_VALUE;
      halfEndNs = nowNs + rttNs / 2;
    }
    lateNs = Math.min(lateNs, rttNs);
  }

  /** The path has been drained: what was measured a few drains ago is forgotten. */
  void onDrained() {
    latest = (latest + 1) % DRAINS;
    shortestNs[latest] = Long.MAX_VALUE;
  }

  boolean isKnown() {
    return baseNs() != Long.MAX_VALUE;
  }

  /** The round trip without a queue; of no use before a sample. */
  long baseNs() {
    long baseNs = Long.MAX_VALUE;
    for (long drainNs : shortestNs) {
      baseNs = Math.min(baseNs, drainNs);
    }
    return baseNs;
  }

  /** The round trip with the queue that stands. */
  long standingNs() {
    return Math.min(lateNs, formerNs);
  }
}
