// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Decides which chunks in flight are lost: by time (RACK, RFC 8985 §6) and by count (RFC 9002
 * §6.1.1).
 *
 * <p>By time: something transmitted later was delivered, and now ≥ sent + latest RTT + reordering
 * window. The reordering window is min(multiplier · minRTT/4, SRTT); the multiplier grows with each
 * round in which the peer reports a duplicate of something we had resent (D-SACK), and falls back
 * after 16 recoveries without one.
 */
class LossDetector {
  /** What a transmission was given up for. */
  interface Losses {
    void onLost(long psn, Cause cause);
  }

  /** Why. */
  enum Cause {
    /** Something sent later was delivered, long enough ago. */
    TIME,
    /** Enough that was sent later was delivered. */
    COUNT,
    /** Nothing was heard of it. */
    TIMEOUT
  }

  private static final int RECOVERIES_TO_FORGET = 16;
  private static final int MAX_MULTIPLIER = 64;

  private final int packetThreshold;
  private long deliveredId = -1;
  private int multiplier = 1;
  private long roundEndNs = Moment.NOW;
  private int recoveriesLeft;

  LossDetector(int packetThreshold) {
    this.packetThreshold = packetThreshold;
  }

  /** Notes that the transmission {@code transmissionId} is known to have been delivered. */
  void onDelivered(long transmissionId) {
    deliveredId = Math.max(deliveredId, transmissionId);
  }

  /** Notes that a resend was in vain: what it repeated had only been slow. */
  void onSpuriousResend(RttEstimator rtt, long nowNs) {
    recoveriesLeft = RECOVERIES_TO_FORGET;
    if (nowNs >= roundEndNs) {
      multiplier = Math.min(multiplier + 1, MAX_MULTIPLIER);
      roundEndNs = nowNs + rtt.srttNs();
    }
  }

  /** Notes that a recovery ended. */
  void onRecovered() {
    if (multiplier > 1 && --recoveriesLeft <= 0) {
      multiplier = 1;
    }
  }

  long reorderingWindowNs(RttEstimator rtt) {
    return Math.min(multiplier * rtt.minNs() / 4, rtt.srttNs());
  }

  /**
   * Reports every chunk that is lost by now, marked so in {@code window}; answers when the next may
   * be.
   */
  long detect(SendWindow window, RttEstimator rtt, long nowNs, Losses losses) {
    long patienceNs = rtt.latestNs() + reorderingWindowNs(rtt);
    long psn = window.firstInFlight();
    while (psn >= 0 && window.transmissionId(psn) < deliveredId) {
      long dueNs = window.sentNs(psn) + patienceNs;
      boolean late = nowNs >= dueNs;
      if (!late && !isPassedByMany(window.transmissionId(psn))) {
        return dueNs;
      }
      long following = window.nextInFlight(psn);
      window.markLost(psn);
      losses.onLost(psn, late ? Cause.TIME : Cause.COUNT);
      psn = following;
    }
    return Moment.NEVER;
  }

  /** Where reordering has been seen, counting says nothing (RFC 8985 §6.2, step 4). */
  private boolean isPassedByMany(long transmissionId) {
    return packetThreshold > 0
        && multiplier == 1
        && deliveredId - transmissionId >= packetThreshold;
  }
}
