// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Congestion control by delay, and by loss where it is more than chance. Each flow keeps a few
 * chunks of its own in the queue, as many as every other, which makes their shares equal (FAST,
 * INFOCOM'04; Copa, NSDI'18): at the queueing delay that all see, the window that would be fair is
 * the same for all.
 *
 * <ul>
 *   <li>Once a round trip the window is moved towards that, by steps that double while the
 *       direction stays (Copa's velocity): what all flows do together turns every few round trips,
 *       and stays small; what makes them equal goes on, and is fast. Far above it, the window falls
 *       by a part of the excess, as Swift's does.
 *   <li>It starts by doubling, until the queue shows (HyStart++, RFC 9406) or no more arrives for
 *       what more is sent (BBR).
 *   <li>{@link Drain}s show the path without its queue, to all flows of it at once: its round trip,
 *       and what chance takes.
 *   <li>Where more is lost than chance takes, a drain comes first. If it has lost as much, that is
 *       chance; else the window is cut, rests, and then grows slowly (CUBIC, RFC 9438). A {@link
 *       CutTrial} takes a cut back that has not helped.
 *   <li>What is lost where the queue may be full is no chance ({@link QueueRange}; Veno, JSAC
 *       2003): a drain that leaves half of it teaches nothing of chance, nor does a trial.
 *   <li>What is longer for a while but no queue is a {@link NoiseMeter}'s to tell: as little is
 *       allowed for as there is, for what counts as noise may fill a short queue.
 *   <li>Where packets come marked by a queue, the window gives up a part of itself, as DCTCP's does
 *       ({@link MarkMeter}).
 *   <li>Where drains leave a queue that grows, a {@link Rivalry} is found, and the window is as
 *       Reno's until it is over (Copa's competitive mode).
 * </ul>
 *
 * <p>A window of which less than half is used does not grow (RFC 9002 §7.8). The process's own
 * pauses are no delay: a window that covers them keeps the link busy meanwhile.
 */
final class DelayCongestionControl implements CongestionControl {
  private static final int INITIAL_CHUNKS = 16;

  /** As many as one acknowledgement is for. */
  private static final int MIN_CHUNKS = 4;

  /** Chunks of each flow that stand in the queue. */
  private static final double QUEUED_CHUNKS = 5;

  /** Without a short round trip in so many, the queue is drained. */
  private static final int ROUNDS_TO_DRAIN = 20;

  /** While the window doubles, this much more has to arrive each round. */
  private static final double FULL_PIPE = 1.25;

  private static final int FULL_PIPE_ROUNDS = 2;

  /** After a round that has lost more, a queue overflows behind the pauses, so that they count. */
  private static final double FLOOD = 0.3;

  private static final double CUT = 0.85;
  private static final double DEEPEST_CUT = 0.7;

  /** What is left after an overflow beside rivals, as with Reno (RFC 5681). */
  private static final double RIVALS_CUT = 0.5;

  private final int maxChunks;
  private final NoiseMeter noise;
  private final PathRtt path = new PathRtt();
  private final Rounds rounds = new Rounds();
  private final Drain drain;
  private final OverflowMeter meter = new OverflowMeter();
  private final WindowUse use = new WindowUse();
  private final WindowSteps steps;
  private final CutTrial trial = new CutTrial();
  private final Rivalry rivalry;
  private final QueueRange range;
  private final MarkMeter marks = new MarkMeter();
  private double chunks;
  private double growthPerChunk = 1;
  private boolean starting = true;
  private boolean fitted;
  private int roundsSinceShort;
  private int fullRounds;
  private int inFlight;
  private long cutNs = Moment.NOW;
  private double suspectedLoss;
  private double carried;
  private long arrived;
  private long lost;
  private long formerArrived;
  private long formerLost;

  /** A window of {@code maxChunks} at most; of noise, {@code mostNoiseNs} is believed. */
  DelayCongestionControl(int maxChunks, long mostNoiseNs) {
    this(
        maxChunks,
        new NoiseMeter(mostNoiseNs),
        new Drain(),
        new WindowSteps(),
        new Rivalry(),
        new QueueRange());
  }

  /** The same, made of these. */
  DelayCongestionControl(
      int maxChunks,
      NoiseMeter noise,
      Drain drain,
      WindowSteps steps,
      Rivalry rivalry,
      QueueRange range) {
    this.maxChunks = maxChunks;
    this.noise = noise;
    this.drain = drain;
    this.steps = steps;
    this.rivalry = rivalry;
    this.range = range;
    chunks = Math.min(INITIAL_CHUNKS, maxChunks);
  }

  @Override
  public void onAck(long measuredNs, long pausedNs, int ackedChunks, long nowNs) {
    long rttNs = Math.max(1, measuredNs);
    if (pausedNs == 0 || !path.isKnown()) {
      path.sample(rttNs, nowNs);
      rivalry.sample(rttNs, nowNs);
      range.sample(rttNs);
    } else {
      boolean floods = formerLost > FLOOD * (formerLost + formerArrived);
      path.sampleQueue(floods ? rttNs : Math.max(path.baseNs(), rttNs - pausedNs), nowNs);
    }
    noise.onAck(rttNs, path.standingNs(), nowNs);
    if (PathRtt.isShort(rttNs, path.baseNs(), noise.slackNs())) {
      roundsSinceShort = 0;
    }
    drain.onArrival(ackedChunks, chunks);
    if (!drain.isUnderWay() && use.isAtLeastHalfOf(chunks, rttNs, nowNs)) {
      resize(chunks + ackedChunks * growthPerChunk);
    }
    if (rounds.endsWith(rttNs, nowNs)) {
      endRound(nowNs);
    }
  }

  private void resize(double newChunks) {
    chunks = Math.min(maxChunks, Math.max(MIN_CHUNKS, newChunks));
  }

  private void endRound(long nowNs) {
    marks.endRound(arrived);
    noise.endRound();
    if (drain.isUnderWay()) {
      drain.endRound(nowNs);
      if (drain.hasMeasured()) {
        path.onDrained();
        range.endDrain(noise.slackNs());
      } else if (drain.hasCounted()) {
        judge(nowNs);
      }
    } else if (starting) {
      start(nowNs);
    } else {
      steer(nowNs);
    }
    lookForRivals();
    range.endRound(path.standingNs(), noise.slackNs());
    if (range.isIdle()) {
      steps.endCrowd();
    }
    formerArrived = arrived;
    formerLost = lost;
    arrived = 0;
    lost = 0;
  }

  private void start(long nowNs) {
    boolean full = lost > 0 && arrived < FULL_PIPE * formerArrived;
    fullRounds = full ? fullRounds + 1 : 0;
    if (fullRounds >= FULL_PIPE_ROUNDS || fairChunks() < chunks || marks.any()) {
      starting = false;
      resize(Math.min(chunks, held((double) arrived)));
      meter.clear();
      cutNs = nowNs;
      beginDrain(nowNs);
    }
  }

  private void steer(long nowNs) {
    roundsSinceShort++;
    trial.endRound(range.isLow(path.standingNs(), noise.slackNs()), arrived, lost);
    if (rivalry.isPresent()) {
      compete(nowNs);
    } else if (meter.overflows(chunks) && trial.isInVain(chunks)) {
      meter.learn(trial.sent(), trial.lost());
      meter.clear();
      steps.forgetOverflow();
      resize(Math.max(chunks, trial.takeBack()));
    } else if (meter.overflows(chunks)) {
      double losses = lost + formerLost;
      suspectedLoss = losses / (losses + arrived + formerArrived);
      beginDrain(nowNs);
    } else if (roundsSinceShort >= ROUNDS_TO_DRAIN) {
      beginDrain(nowNs);
    } else if (marks.any()) {
      yieldToMarks();
    } else {
      move();
    }
  }

  private void yieldToMarks() {
    steps.onMarks(chunks);
    growthPerChunk = 0;
    resize(marks.kept() * chunks);
  }

  private void lookForRivals() {
    boolean were = rivalry.isPresent();
    rivalry.endRound(drain.hasMeasured(), chunks, noise.slackNs());
    if (rivalry.isPresent() && !were) {
      resize(Math.max(chunks, rivalry.chunksBefore()));
    }
  }

  /** As Reno does; all that share an overflow drain together after it, so that ours find out. */
  private void compete(long nowNs) {
    if (meter.exceedsChance(chunks)) {
      rivalry.onOverflow(chunks);
      resize(RIVALS_CUT * chunks);
      cutNs = nowNs;
      meter.clear();
      beginDrain(nowNs);
    } else if (roundsSinceShort >= ROUNDS_TO_DRAIN) {
      beginDrain(nowNs);
    } else if (marks.any()) {
      yieldToMarks();
    } else {
      growthPerChunk = 1 / chunks;
    }
  }

  /** The window at which {@value #QUEUED_CHUNKS} of its chunks make the delay that is seen. */
  private double fairChunks() {
    double queueNs = path.standingNs() - path.baseNs() - noise.slackNs();
    return queueNs <= 0 ? Double.POSITIVE_INFINITY : QUEUED_CHUNKS * path.standingNs() / queueNs;
  }

  private void move() {
    double by = steps.next(chunks, fairChunks(), chunks - held(chunks));
    growthPerChunk = meter.exceedsChance(chunks) ? 0 : Math.max(0, by) / chunks;
    if (by < 0) {
      double most = lost == 0 ? Double.POSITIVE_INFINITY : arrived / (1 - meter.chance());
      resize(Math.min(chunks + by, most));
    }
  }

  private void beginDrain(long nowNs) {
    roundsSinceShort = 0;
    growthPerChunk = 0;
    carried = Math.min(chunks, (double) arrived);
    range.beginDrain();
    drain.begin(inFlight, held(carried), nowNs);
  }

  /** The part of {@code roundChunks}, which took a round trip, that is not in the queue. */
  private double held(double roundChunks) {
    return roundChunks * path.baseNs() / path.standingNs();
  }

  /** The drain has counted what chance takes: was it that, or did a queue overflow? */
  private void judge(long nowNs) {
    if (range.isDrained() || !meter.isMoreThanChance(drain.arrived(), drain.lost())) {
      meter.learn(drain.arrived() + drain.lost(), drain.lost());
    }
    double fitting = carried / (1 - meter.chance());
    if (!fitted) {
      fitted = true;
      resize(fitting);
    } else if (suspectedLoss > meter.allowance()) {
      boolean crowded = !range.isDrained();
      steps.onOverflow(chunks, crowded);
      trial.begin(chunks, suspectedLoss, crowded);
      resize(Math.max(DEEPEST_CUT * chunks, Math.min(CUT * chunks, fitting)));
    }
    suspectedLoss = 0;
    cutNs = nowNs;
    meter.clear();
    drain.refill();
  }

  @Override
  public void onArrival(int arrivedChunks) {
    arrived += arrivedChunks;
    meter.onArrival(arrivedChunks);
  }

  @Override
  public void onLoss(long sentNs, long nowNs) {
    drain.onLoss(sentNs);
    if (sentNs >= cutNs) {
      lost++;
      meter.onLoss();
    }
  }

  @Override
  public void onMarks(int packets) {
    marks.onMarks(packets);
  }

  @Override
  public void onUse(int inFlightChunks) {
    inFlight = inFlightChunks;
    use.note(inFlightChunks);
  }

  @Override
  public int windowChunks() {
    return (int) Math.min(chunks, drain.mostChunks());
  }
}
