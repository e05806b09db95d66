// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/** A competitor: loss means congestion, as CUBIC has it (RFC 9438), whatever the delay. */
final class CubicCongestionControl implements CongestionControl {
  private static final int INITIAL_CHUNKS = 10;
  private static final int MIN_CHUNKS = 2;

  /** Chunks that the window grows by, per second cubed. */
  private static final double C = 0.4;

  private static final double BETA = 0.7;

  /** What makes up for the shallower cut where Reno would be faster (§4.3). */
  private static final double RENO_GROWTH = 3 * (1 - BETA) / (1 + BETA);

  private static final double MOST_GROWTH = 1.5;
  private static final double NS_PER_SECOND = 1e9;

  private final int maxChunks;
  private double chunks;
  private double reno;
  private double plateau;
  private double secondsToPlateau;
  private boolean slowStart = true;
  private long cutNs = Moment.NOW;

  CubicCongestionControl(int maxChunks) {
    this.maxChunks = maxChunks;
    chunks = Math.min(INITIAL_CHUNKS, maxChunks);
  }

  @Override
  public void onAck(long rttNs, long pausedNs, int ackedChunks, long nowNs) {
    if (slowStart) {
      chunks += ackedChunks;
    } else {
      double seconds = (nowNs - cutNs + rttNs) / NS_PER_SECOND - secondsToPlateau;
      double target = Math.min(C * seconds * seconds * seconds + plateau, MOST_GROWTH * chunks);
      reno += RENO_GROWTH * ackedChunks / chunks;
      chunks = Math.max(chunks + Math.max(0, target - chunks) * ackedChunks / chunks, reno);
    }
    chunks = Math.min(maxChunks, chunks);
  }

  @Override
  public void onLoss(long sentNs, long nowNs) {
    if (sentNs >= cutNs) {
      slowStart = false;
      plateau = chunks < plateau ? chunks * (1 + BETA) / 2 : chunks;
      chunks = Math.max(MIN_CHUNKS, BETA * chunks);
      reno = chunks;
      secondsToPlateau = Math.cbrt(Math.max(0, plateau - chunks) / C);
      cutNs = nowNs;
    }
  }

  @Override
  public int windowChunks() {
    return (int) chunks;
  }
}
