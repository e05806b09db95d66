// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Congestion control by delay, after Swift (SIGCOMM'20 §3.1): below the target delay the window
 * grows by one chunk a round trip, above it shrinks in proportion to the excess, at most once a
 * round trip and by half. At first it grows by one per acknowledged chunk, until a round trip takes
 * an eighth longer than the shortest (HyStart++, RFC 9406 §4.2): much of what is on its way by then
 * is in the queue already. A window of which less than half is used does not grow (RFC 9002 §7.8).
 *
 * <p>After that first time, each good round trip in a row grows it by twice as much as the one
 * before, up to a quarter (hyperactive increase, TIMELY, SIGCOMM'15 §4.3): a window that was cut
 * because a process had to wait for its turn is soon what it was.
 *
 * <p>The process's own pauses are no delay: a window that covers them keeps the link busy
 * meanwhile. But they hide a queue that overflows, so they count after a round that has lost more
 * than loss by chance takes.
 *
 * <p>Loss by chance never shrinks it: halving on loss would leave about 1.22/√p chunks, 12 at 1 %.
 * Where more gets lost than chance takes, an {@link OverflowLimit} holds.
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
  private final OverflowLimit limit = new OverflowLimit();
  private final WindowUse use = new WindowUse();
  private double chunks = INITIAL_CHUNKS;
  private boolean probing = true;
  private long nextCutNs = Moment.NOW;
  private double step = 1;
  private long roundEndNs = Moment.NOW;
  private long lossRoundEndNs = Moment.NOW;
  private long ackedInRound;
  private long lostInRound;
  private long limitRoundEndNs = Moment.NOW;

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
    probing &= pausedNs > 0 || rttNs <= minRttNs + minRttNs / 8 + slackNs;
    if (rttNs <= targetNs) {
      if (use.isAtLeastHalfOf(chunks, rttNs, nowNs)) {
        chunks += probing ? ackedChunks : ackedChunks * step / chunks;
      }
      hasten(rttNs, nowNs);
    } else if (nowNs >= nextCutNs) {
      probing = false;
      chunks *= 1 - Math.min(MAX_CUT, GAIN * (rttNs - targetNs) / rttNs);
      nextCutNs = nowNs + rttNs;
      step = 1;
      roundEndNs = nowNs + rttNs;
    }
    if (pausedNs > 0) {
      limit.forget();
    } else {
      obeyLimit(fullRttNs, nowNs);
    }
    chunks = Math.min(Math.max(MIN_CHUNKS, Math.min(chunks, limit.chunks())), maxChunks);
  }

  private void obeyLimit(long rttNs, long nowNs) {
    if (nowNs < limitRoundEndNs) {
      return;
    }
    limitRoundEndNs = nowNs + rttNs;
    if (limit.endRound(chunks >= limit.chunks() - 1)) {
      probing = false;
      step = 1;
      nextCutNs = nowNs + rttNs;
    }
  }

  @Override
  public void onArrival(int arrived) {
    limit.onArrival(arrived);
  }

  @Override
  public void onLoss(long srttNs, long nowNs) {
    lostInRound++;
    limit.onLoss();
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

  @Override
  public void onUse(int inFlightChunks) {
    use.note(inFlightChunks);
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
