// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Congestion control by delay alone, after Swift (SIGCOMM'20 §3.1): below the target delay the
 * window grows by one chunk a round trip (by one per acknowledged chunk until the target is met for
 * the first time), above it shrinks in proportion to the excess, at most once a round trip and by
 * half.
 *
 * <p>After that first time, each good round trip in a row grows it by twice as much as the one
 * before, up to a quarter (hyperactive increase, TIMELY, SIGCOMM'15 §4.3): a window that was cut
 * because a process had to wait for its turn is soon what it was.
 *
 * <p>The process's own pauses are no delay: a window that covers them keeps the link busy
 * meanwhile. But they hide a queue that overflows, so they count after a round that has lost more
 * than loss by chance takes.
 *
 * <p>Loss alone never shrinks it: halving on loss would leave about 1.22/√p chunks, 12 at 1 %.
 */
final class DelayCongestionControl implements CongestionControl {
  private static final int INITIAL_CHUNKS = 16;
  private static final int MIN_CHUNKS = 2;
  private static final double GAIN = 0.8;
  private static final double MAX_CUT = 0.5;
  private static final double MAX_STEP = 0.25;

  /** Above what the protocol has to stand by chance, 20 %. */
  private static final double OVERFLOW = 0.3;

  private final int maxChunks;
  private final long slackNs;
  private double chunks = INITIAL_CHUNKS;
  private boolean probing = true;
  private long nextCutNs = Moment.NOW;
  private double step = 1;
  private long roundEndNs = Moment.NOW;
  private long lossRoundEndNs = Moment.NOW;
  private long ackedInRound;
  private long lostInRound;

  DelayCongestionControl(int maxChunks, long slackNs) {
    this.maxChunks = maxChunks;
    this.slackNs = slackNs;
    chunks = Math.min(chunks, maxChunks);
  }

  @Override
  public void onAck(long fullRttNs, long pausedNs, long minRttNs, int ackedChunks, long nowNs) {
    long targetNs = minRttNs + minRttNs / 2 + slackNs;
    boolean overflows = endsOverflow(fullRttNs, ackedChunks, nowNs);
    long rttNs = overflows ? fullRttNs : Math.max(0, fullRttNs - pausedNs);
    if (rttNs <= targetNs) {
      chunks += probing ? ackedChunks : ackedChunks * step / chunks;
      hasten(rttNs, nowNs);
    } else if (nowNs >= nextCutNs) {
      probing = false;
      chunks *= 1 - Math.min(MAX_CUT, GAIN * (rttNs - targetNs) / rttNs);
      nextCutNs = nowNs + rttNs;
      step = 1;
      roundEndNs = nowNs + rttNs;
    }
    chunks = Math.min(Math.max(MIN_CHUNKS, chunks), maxChunks);
  }

  @Override
  public void onLoss(long srttNs, long nowNs) {
    lostInRound++;
  }

  /** Whether a round ends here that has lost too much. */
  private boolean endsOverflow(long rttNs, int ackedChunks, long nowNs) {
    ackedInRound += ackedChunks;
    if (nowNs < lossRoundEndNs) {
      return false;
    }
    boolean overflows = lostInRound > OVERFLOW * (lostInRound + ackedInRound);
    lostInRound = 0;
    ackedInRound = 0;
    lossRoundEndNs = nowNs + rttNs;
    return overflows;
  }

  private void hasten(long rttNs, long nowNs) {
    if (nowNs >= roundEndNs) {
      step = Math.max(1, Math.min(2 * step, MAX_STEP * chunks));
      roundEndNs = nowNs + rttNs;
    }
  }

  @Override
  public int windowChunks() {
    return (int) chunks;
  }
}
