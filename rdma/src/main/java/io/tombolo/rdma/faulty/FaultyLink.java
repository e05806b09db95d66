// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

import java.util.SplittableRandom;

/**
 * One direction between two ends: what it is busy with, how long it is blocked, and what becomes of
 * each packet. Knows no clock: the time is passed in, simulated or real.
 */
public final class FaultyLink {
  /** A packet arrives at most so often. */
  public static final int MAX_ARRIVALS = 2;

  private static final double NS_PER_SECOND = 1e9;

  /** A copy of a packet comes up to so many delays later. */
  private static final int REPLAY_DELAYS = 20;

  private final Dice dice;
  private long busyUntilNs;
  private long cloggedUntilNs;
  private long silentUntilNs;
  private boolean inBurst;

  /** A link on which {@code dice} decide, which others may throw, too. */
  public FaultyLink(Dice dice) {
    this.dice = dice;
  }

  /** A link on which chance goes by {@code seed}. */
  public static FaultyLink of(long seed) {
    return new FaultyLink(new Dice(new SplittableRandom(seed)));
  }

  /** When a packet of {@code bytes} offered now has left; −1 if the queue before it is full. */
  public long depart(FaultPlan plan, int bytes, long nowNs) {
    if (plan.rateBytesPerSecond() == 0) {
      return nowNs;
    }
    if (queuedBytes(plan, nowNs) > plan.queueBytes()) {
      return -1;
    }
    long waitNs = Math.max(0, busyUntilNs - nowNs);
    busyUntilNs = nowNs + waitNs + (long) (bytes * NS_PER_SECOND / plan.rateBytesPerSecond());
    return busyUntilNs;
  }

  /** Whether a packet offered now is marked, if it leaves at all. */
  public boolean marks(FaultPlan plan, long nowNs) {
    return dice.chance(plan.marking().part(queuedBytes(plan, nowNs)));
  }

  private double queuedBytes(FaultPlan plan, long nowNs) {
    return Math.max(0, busyUntilNs - nowNs) / NS_PER_SECOND * plan.rateBytesPerSecond();
  }

  /**
   * Decides about a packet that leaves at {@code nowNs}.
   *
   * @param back the other direction, which goes silent together with this one if the plan says so
   * @param arrivalsNs takes when it arrives, each time
   * @return how often it arrives: never, once or twice
   */
  public int carry(FaultPlan plan, long nowNs, FaultyLink back, long[] arrivalsNs) {
    disturb(plan, nowNs, back);
    if (isSilent(nowNs) || loses(plan)) {
      return 0;
    }
    arrivalsNs[0] = throughClog(nowNs + delayNs(plan));
    if (!dice.chance(plan.replayProbability())) {
      return 1;
    }
    arrivalsNs[1] =
        throughClog(nowNs + delayNs(plan) + dice.upTo(REPLAY_DELAYS * plan.oneWayDelayMeanNs()));
    return 2;
  }

  /** Whether the wire has room for a packet now. */
  public boolean hasRoom(FaultPlan plan) {
    return !dice.chance(plan.refusalProbability());
  }

  /**
   * Whether the next packet vanishes: a chain of two states (Gilbert, 1960), in one of which all
   * do, so that the probability stays what the plan says however long its bursts are.
   */
  private boolean loses(FaultPlan plan) {
    double loss = plan.lossProbability();
    double burst = Math.max(1, plan.lossBurstPackets());
    if (burst > 1 && loss > 0 && loss < 1) {
      inBurst = inBurst ? !dice.chance(1 / burst) : dice.chance(loss / (burst * (1 - loss)));
      return inBurst;
    }
    return dice.chance(loss);
  }

  private void disturb(FaultPlan plan, long nowNs, FaultyLink back) {
    if (dice.chance(plan.clogProbability())) {
      clog(nowNs + dice.exponential(plan.clogMeanNs()));
    }
    if (dice.chance(plan.partitionProbability())) {
      long untilNs = nowNs + dice.exponential(plan.partitionMeanNs());
      silence(untilNs);
      if (plan.symmetricPartitions()) {
        back.silence(untilNs);
      }
    }
  }

  private long delayNs(FaultPlan plan) {
    long heldNs = dice.chance(plan.reorderProbability()) ? dice.upTo(plan.reorderDelayNs()) : 0;
    long spreadNs = plan.oneWayDelayMeanNs() - plan.oneWayDelayMinNs();
    return plan.oneWayDelayMinNs() + dice.exponential(spreadNs) + heldNs + pathNs(plan);
  }

  /** How much longer than the shortest path the one is that the next packet takes. */
  private long pathNs(FaultPlan plan) {
    int others = plan.paths() - 1;
    return others <= 0 ? 0 : dice.upTo(others) * plan.pathSpreadNs() / others;
  }

  private void clog(long untilNs) {
    cloggedUntilNs = Math.max(cloggedUntilNs, untilNs);
  }

  private void silence(long untilNs) {
    silentUntilNs = Math.max(silentUntilNs, untilNs);
  }

  /** Ends all silences: what is sent from now on arrives. */
  public void heal() {
    cloggedUntilNs = 0;
    silentUntilNs = 0;
  }

  private boolean isSilent(long nowNs) {
    return nowNs < silentUntilNs;
  }

  /** When something that would arrive at {@code arrivalNs} does. */
  private long throughClog(long arrivalNs) {
    return Math.max(arrivalNs, cloggedUntilNs);
  }
}
