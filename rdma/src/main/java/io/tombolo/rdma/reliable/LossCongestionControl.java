// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * The competitor: loss means congestion, as TCP Reno has it (RFC 5681 §3.1). The window doubles
 * each round trip until the first loss, grows by one chunk a round trip after it, and is halved by
 * a loss, once a round trip.
 */
final class LossCongestionControl implements CongestionControl {
  /** RFC 6928. */
  private static final int INITIAL_CHUNKS = 10;

  private static final int MIN_CHUNKS = 2;

  private final int maxChunks;
  private double chunks;
  private boolean slowStart = true;
  private long cutNs = Moment.NOW;

  LossCongestionControl(int maxChunks) {
    this.maxChunks = maxChunks;
    chunks = Math.min(INITIAL_CHUNKS, maxChunks);
  }

  @Override
  public void onAck(long rttNs, long pausedNs, int ackedChunks, long nowNs) {
    chunks = Math.min(maxChunks, chunks + (slowStart ? ackedChunks : ackedChunks / chunks));
  }

  @Override
  public void onLoss(long sentNs, long nowNs) {
    if (sentNs >= cutNs) {
      slowStart = false;
      chunks = Math.max(MIN_CHUNKS, chunks / 2);
      cutNs = nowNs;
    }
  }

  @Override
  public int windowChunks() {
    return (int) chunks;
  }
}
