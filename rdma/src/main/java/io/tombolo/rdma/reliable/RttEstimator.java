// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Smoothed round-trip time and retransmission timeout, RFC 6298 §2, from the sender's own clock
 * only.
 *
 * <p>First sample R: SRTT = R, RTTVAR = R/2. Then RTTVAR = ¾·RTTVAR + ¼·|SRTT − R| <em>before</em>
 * SRTT = ⅞·SRTT + ⅛·R. RTO = SRTT + 4·RTTVAR, not below the floor; on a path that never varies,
 * what timers and the peer's held-back acknowledgements add counts (RFC 9002 §6.2.1).
 */
class RttEstimator {
  /** Before any sample: long enough not to flood a slow path, short beside a user's patience. */
  private static final long INITIAL_RTT_NS = 1_000_000;

  /** As long as BBR keeps its shortest round trip (draft-ietf-ccwg-bbr, MinRTTFilterLen). */
  private static final long AGE_NS = 10_000_000_000L;

  /** Timers are as coarse as this part of the floor. */
  private static final int VARIATION_PARTS = 4;

  private final long minRtoNs;
  private final long maxAckDelayNs;
  private boolean sampled;
  private long srttNs = INITIAL_RTT_NS;
  private long rttvarNs = INITIAL_RTT_NS / 2;
  private long latestNs = INITIAL_RTT_NS;
  private long minNs = Long.MAX_VALUE;
  private long formerMinNs = Long.MAX_VALUE;
  private long ageEndNs = Moment.NOW;

  /** Whose samples are without the delay of acknowledgements, {@code maxAckDelayNs} at most. */
  RttEstimator(long minRtoNs, long maxAckDelayNs) {
    this.minRtoNs = minRtoNs;
    this.maxAckDelayNs = maxAckDelayNs;
  }

  /**
   * Takes a sample at {@code nowNs}. The shortest round trip is forgotten after one to two ages: a
   * path that has become longer does not count as congested for ever.
   */
  final void sample(long rttNs, long nowNs) {
    if (nowNs >= ageEndNs) {
      formerMinNs = minNs;
      minNs = Long.MAX_VALUE;
      ageEndNs = nowNs + AGE_NS;
    }
    sample(rttNs);
  }

  /** Takes a sample, already without the delay the peer reported; negative ones are discarded. */
  void sample(long rttNs) {
    if (rttNs < 0) {
      return;
    }
    if (hasSample()) {
      rttvarNs = (3 * rttvarNs + Math.abs(srttNs - rttNs)) / 4;
      srttNs = (7 * srttNs + rttNs) / 8;
    } else {
      srttNs = rttNs;
      rttvarNs = rttNs / 2;
    }
    sampled = true;
    latestNs = rttNs;
    minNs = Math.min(minNs, rttNs);
  }

  boolean hasSample() {
    return sampled;
  }

  long srttNs() {
    return srttNs;
  }

  long rttvarNs() {
    return rttvarNs;
  }

  long latestNs() {
    return latestNs;
  }

  /** The smallest sample of this age and the one before; SRTT while there is none. */
  long minNs() {
    long shortestNs = Math.min(minNs, formerMinNs);
    return shortestNs == Long.MAX_VALUE ? srttNs : shortestNs;
  }

  long rtoNs() {
    long variationNs = Math.max(minRtoNs / VARIATION_PARTS, 4 * rttvarNs);
    return Math.max(minRtoNs, srttNs + variationNs + maxAckDelayNs);
  }

  /**
   * The timeout of something transmitted {@code transmissions} times: doubled each, at most 64×.
   */
  long rtoNs(int transmissions) {
    return rtoNs() << Math.min(Math.max(transmissions - 1, 0), 6);
  }
}
