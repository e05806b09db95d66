// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

import java.util.SplittableRandom;

/**
 * What may go wrong, after TigerBeetle's {@code PacketSimulatorOptions}. Probabilities are per
 * packet.
 *
 * @param oneWayDelayMinNs the shortest way
 * @param oneWayDelayMeanNs the mean; what is above the minimum is exponentially distributed, which
 *     reorders
 * @param lossProbability the packet vanishes
 * @param lossBurstPackets packets that vanish in a row, on average; 1 where each goes for itself
 * @param replayProbability the packet arrives once more, later
 * @param reorderProbability the packet alone is held back
 * @param reorderDelayNs how long at most
 * @param paths ways that packets take by chance, as a switch sprays them
 * @param pathSpreadNs how much longer the longest of them is than the shortest
 * @param partitionProbability this direction of the link goes silent
 * @param partitionMeanNs for how long on average
 * @param symmetricPartitions both directions go silent together
 * @param clogProbability the link holds everything back
 * @param clogMeanNs for how long on average
 * @param rateBytesPerSecond what the link carries; 0 is without limit
 * @param queueBytes what waits for the link; more is dropped
 * @param marking which packets are marked while others wait for the link
 * @param refusalProbability the wire has no room for a packet
 * @param completionDelayMaxNs local completions come this late at most, in any order
 * @param clockOffsetMaxNs how far the nodes' clocks are apart at the start, each way
 * @param clockDriftMaxPpm how much faster or slower they run
 * @param fenceFailureProbability a slab slot cannot get a new key now
 * @param turnMeanNs how long a process runs on average before others have their turn
 * @param pauseMeanNs how long it then stands still on average; 0 where each has its own core
 */
public record FaultPlan(
    long oneWayDelayMinNs,
    long oneWayDelayMeanNs,
    double lossProbability,
    double lossBurstPackets,
    double replayProbability,
    double reorderProbability,
    long reorderDelayNs,
    int paths,
    long pathSpreadNs,
    double partitionProbability,
    long partitionMeanNs,
    boolean symmetricPartitions,
    double clogProbability,
    long clogMeanNs,
    long rateBytesPerSecond,
    long queueBytes,
    MarkingCurve marking,
    double refusalProbability,
    long completionDelayMaxNs,
    long clockOffsetMaxNs,
    int clockDriftMaxPpm,
    double fenceFailureProbability,
    long turnMeanNs,
    long pauseMeanNs) {

  /** A link of {@code delayNs} that only delays. */
  public static FaultPlan calm(long delayNs) {
    return new FaultPlan(
        delayNs,
        delayNs,
        0,
        1,
        0,
        0,
        0,
        1,
        0,
        0,
        0,
        false,
        0,
        0,
        0,
        Long.MAX_VALUE,
        MarkingCurve.NONE,
        0,
        0,
        0,
        0,
        0,
        0,
        0);
  }

  /** Everything at once, as much of each as {@code random} wants. */
  public static FaultPlan wild(SplittableRandom random) {
    long minNs = random.nextLong(1_000, 50_000);
    return new FaultPlan(
        minNs,
        minNs + random.nextLong(0, 50_000),
        random.nextInt(4) == 0 ? 0 : random.nextDouble(0.3),
        random.nextInt(3) == 0 ? 1 + random.nextDouble(15) : 1,
        random.nextInt(3) == 0 ? 0 : random.nextDouble(0.1),
        random.nextDouble(0.1),
        random.nextLong(1, 2_000_000),
        random.nextInt(3) == 0 ? 4 : 1,
        random.nextLong(1, 200_000),
        random.nextInt(3) == 0 ? random.nextDouble(0.002) : 0,
        random.nextLong(1, 20_000_000),
        random.nextBoolean(),
        random.nextDouble(0.002),
        random.nextLong(1, 3_000_000),
        random.nextBoolean() ? 0 : random.nextLong(100_000_000, 2_000_000_000),
        random.nextLong(8_000, 4_000_000),
        MarkingCurve.threshold(random.nextLong(1_000, 1_000_000)),
        random.nextInt(4) == 0 ? random.nextDouble(0.1) : 0,
        random.nextLong(1, 500_000),
        random.nextLong(1, 3_600_000_000_000L),
        random.nextInt(1, 200),
        random.nextInt(4) == 0 ? random.nextDouble(0.3) : 0,
        random.nextLong(10_000, 2_000_000),
        random.nextInt(4) == 0 ? random.nextLong(1, 4_000_000) : 0);
  }

  /** This plan, to be changed. */
  public FaultPlanBuilder toBuilder() {
    return new FaultPlanBuilder(this);
  }

  /** This link with another probability of loss. */
  public FaultPlan withLoss(double probability) {
    return toBuilder().loss(probability).build();
  }

  /** This link with a rate and a queue. */
  public FaultPlan withRate(long newRateBytesPerSecond, long newQueueBytes) {
    return toBuilder().rate(newRateBytesPerSecond, newQueueBytes).build();
  }

  /** The same link and clocks with nothing going wrong any more. */
  public FaultPlan healed() {
    return new FaultPlan(
        oneWayDelayMinNs,
        oneWayDelayMeanNs,
        0,
        1,
        0,
        0,
        0,
        paths,
        pathSpreadNs,
        0,
        0,
        false,
        0,
        0,
        rateBytesPerSecond,
        Long.MAX_VALUE,
        marking,
        0,
        completionDelayMaxNs,
        clockOffsetMaxNs,
        clockDriftMaxPpm,
        0,
        0,
        0);
  }
}
