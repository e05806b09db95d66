// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * For packets that take several ways: of the round trips of this round and the one before, only the
 * shortest counts. A longer way is no congestion; a queue that stands on all ways shows in the
 * shortest, too, a round later.
 */
final class ShortestOfRounds implements CongestionControl {
  private final CongestionControl congestion;
  private long roundEndNs = Moment.NOW;
  private long shortestNs = Long.MAX_VALUE;
  private long formerNs = Long.MAX_VALUE;

  ShortestOfRounds(CongestionControl congestion) {
    this.congestion = congestion;
  }

  /** A round trip that contains a pause tells nothing of the ways. */
  @Override
  public void onAck(long rttNs, long pausedNs, long minRttNs, int ackedChunks, long nowNs) {
    long countedNs = pausedNs > 0 ? rttNs : shortestNs(rttNs, nowNs);
    congestion.onAck(countedNs, pausedNs, minRttNs, ackedChunks, nowNs);
  }

  private long shortestNs(long rttNs, long nowNs) {
    if (nowNs >= roundEndNs) {
      formerNs = shortestNs;
      shortestNs = Long.MAX_VALUE;
      roundEndNs = nowNs + rttNs;
    }
    shortestNs = Math.min(shortestNs, rttNs);
    return Math.min(shortestNs, formerNs);
  }

  @Override
  public void onUse(int inFlightChunks) {
    congestion.onUse(inFlightChunks);
  }

  @Override
  public void onArrival(int chunks) {
    congestion.onArrival(chunks);
  }

  @Override
  public void onLoss(long srttNs, long nowNs) {
    congestion.onLoss(srttNs, nowNs);
  }

  @Override
  public int windowChunks() {
    return congestion.windowChunks();
  }
}
