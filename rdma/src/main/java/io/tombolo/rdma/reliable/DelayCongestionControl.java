package io.tombolo.rdma.reliable;

/**
 * Congestion control by delay alone, after Swift (SIGCOMM'20 §3.1): below the target delay the
 * window grows by one chunk a round trip (by one per acknowledged chunk until the target is met for
 * the first time), above it shrinks in proportion to the excess, at most once a round trip and by
 * half.
 *
 * <p>Loss alone never shrinks it: halving on loss would leave about 1.22/√p chunks, 12 at 1 %.
 */
final class DelayCongestionControl implements CongestionControl {
  private static final int INITIAL_CHUNKS = 16;
  private static final int MIN_CHUNKS = 2;
  private static final double GAIN = 0.8;
  private static final double MAX_CUT = 0.5;

  private final int maxChunks;
  private final long slackNs;
  private double chunks = INITIAL_CHUNKS;
  private boolean probing = true;
  private long nextCutNs = Moment.NOW;

  DelayCongestionControl(int maxChunks, long slackNs) {
    this.maxChunks = maxChunks;
    this.slackNs = slackNs;
    chunks = Math.min(chunks, maxChunks);
  }

  @Override
  public void onAck(long rttNs, long minRttNs, int ackedChunks, long nowNs) {
    long targetNs = minRttNs + minRttNs / 2 + slackNs;
    if (rttNs <= targetNs) {
      chunks += probing ? ackedChunks : ackedChunks / chunks;
    } else if (nowNs >= nextCutNs) {
      probing = false;
      chunks *= 1 - Math.min(MAX_CUT, GAIN * (rttNs - targetNs) / rttNs);
      nextCutNs = nowNs + rttNs;
    }
    chunks = Math.min(Math.max(MIN_CHUNKS, chunks), maxChunks);
  }

  @Override
  public int windowChunks() {
    return (int) chunks;
  }
}
