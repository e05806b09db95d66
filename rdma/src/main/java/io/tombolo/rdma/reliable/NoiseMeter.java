// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * What adds to round trips and is no queue: ends that do not run, NICs that tell late. A queue
 * hands on one packet after the other. So where nothing is heard for much longer than the shortest
 * round trip of late, though something was on its way all the while, that was noise. A path that is
 * quiet, or shared, has none.
 */
class NoiseMeter {
  /** Beside a NIC there is as much at all times. */
  private static final long LEAST_NS = 4_000;

  /** Shorter silence leaves round trips of the same time as they are, so that they tell. */
  private static final int LONG = 2;

  /** From one amount to the next: flows that measure apart allow for the same, or nearly. */
  private static final int STEP = 4;

  /** Noise that has not come back in so many round trips, twice, is over. */
  private static final int MEMORY_ROUNDS = 16;

  private final long mostNs;
  private long heardNs = Moment.NOW;
  private long lateNs;
  private long formerNs;
  private int rounds;

  /** Which believes {@code mostNs} at most. */
  NoiseMeter(long mostNs) {
    this.mostNs = mostNs;
  }

  /** What was sent {@code rttNs} ago has arrived; the shortest of late was {@code standingNs}. */
  void onAck(long rttNs, long standingNs, long nowNs) {
    long silenceNs = heardNs == Moment.NOW ? 0 : nowNs - heardNs;
    if (rttNs > silenceNs && silenceNs > LONG * standingNs) {
      lateNs = Math.max(lateNs, silenceNs - standingNs);
    }
    heardNs = nowNs;
  }

  void endRound() {
    rounds++;
    if (rounds == MEMORY_ROUNDS) {
      rounds = 0;
      formerNs = lateNs;
      lateNs = 0;
    }
  }

  /** What may be added to all round trips of a while before it means a queue. */
  long slackNs() {
    long noiseNs = Math.max(lateNs, formerNs);
    long slackNs = Math.min(LEAST_NS, mostNs);
    while (slackNs < noiseNs && slackNs < mostNs) {
      slackNs = Math.min(mostNs, slackNs * STEP);
    }
    return slackNs;
  }
}
