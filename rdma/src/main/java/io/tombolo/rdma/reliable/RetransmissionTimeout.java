// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * The last resort: a chunk not acknowledged within its timeout, counted from its latest
 * transmission or the latest progress (RFC 6298 §5.3), is lost. Each chunk backs off for itself, so
 * that nothing doubles unless it was sent.
 *
 * <p>Progress postpones it once only: where one chunk in a timeout gets through, as a probe does,
 * the rest would else wait for ever.
 */
final class RetransmissionTimeout {
  private long nextNs = Moment.NOW;

  /** No chunk expires before this moment. */
  long deadlineNs() {
    return nextNs;
  }

  /** Reports what has expired, marked lost in {@code window}. */
  void expire(
      SendWindow window,
      RttEstimator rtt,
      long progressNs,
      long nowNs,
      LossDetector.Losses losses) {
    nextNs = nowNs + rtt.rtoNs();
    long psn = window.firstInFlight();
    while (psn >= 0) {
      long following = window.nextInFlight(psn);
      long dueNs = dueNs(window, psn, rtt.rtoNs(window.transmissions(psn)), progressNs);
      if (nowNs >= dueNs) {
        window.markLost(psn);
        losses.onLost(psn, LossDetector.Cause.TIMEOUT);
      } else {
        nextNs = Math.min(nextNs, dueNs);
      }
      psn = following;
    }
  }

  private static long dueNs(SendWindow window, long psn, long rtoNs, long progressNs) {
    long sentNs = window.sentNs(psn);
    long latestNs = sentNs + window.pausedSinceNs(psn) + 2 * rtoNs;
    return Math.min(Math.max(sentNs, progressNs) + rtoNs, latestNs);
  }
}
