// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import java.util.concurrent.TimeUnit;

/**
 * Keeps next to nothing in flight for a moment, every five seconds in which no round trip was
 * nearly as short as the shortest: else that would be forgotten, and the next one measured in a
 * queue of our own, again and again (ProbeRTT of BBR, draft-ietf-ccwg-bbr §5.3.4). The window is
 * filled again as acknowledgements come.
 */
final class DrainingCongestionControl implements CongestionControl {
  private static final long PERIOD_NS = TimeUnit.SECONDS.toNanos(5);

  /** Of a long path, no more than a twentieth of the time, */
  private static final int PERIOD_ROUNDS = 50;

  /** but before the shortest round trip is forgotten, after 10 s at least. */
  private static final long MAX_PERIOD_NS = TimeUnit.SECONDS.toNanos(8);

  private static final int DRAINED_CHUNKS = 4;

  private final CongestionControl congestion;
  private long nextNs;
  private long endNs = Moment.NOW;
  private int most = Integer.MAX_VALUE;
  private boolean begun;

  DrainingCongestionControl(CongestionControl congestion) {
    this.congestion = congestion;
  }

  @Override
  public void onAck(long rttNs, long pausedNs, long minRttNs, int ackedChunks, long nowNs) {
    boolean isShort = rttNs <= minRttNs + minRttNs / 8;
    if (!begun || isShort) {
      nextNs = nowNs + periodNs(rttNs);
      begun = true;
    } else if (nowNs >= nextNs) {
      nextNs = nowNs + periodNs(rttNs);
      endNs = nowNs + 2 * rttNs; // one until the queue is empty, one to see that
      most = DRAINED_CHUNKS;
    }
    if (nowNs >= endNs) {
      congestion.onAck(rttNs, pausedNs, minRttNs, ackedChunks, nowNs);
      refill(ackedChunks);
    }
  }

  private static long periodNs(long rttNs) {
    return Math.min(Math.max(PERIOD_NS, PERIOD_ROUNDS * rttNs), MAX_PERIOD_NS);
  }

  private void refill(int ackedChunks) {
    if (most < congestion.windowChunks()) {
      most += ackedChunks;
    } else {
      most = Integer.MAX_VALUE;
    }
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
    return Math.min(most, congestion.windowChunks());
  }
}
