// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

/** Changes of a {@link FaultPlan}, one kind of fault at a time. */
public final class FaultPlanBuilder {
  private final FaultPlan start;
  private double loss;
  private double lossBurstPackets;
  private int paths;
  private long pathSpreadNs;
  private long clockOffsetMaxNs;
  private int clockDriftMaxPpm;
  private long turnMeanNs;
  private long pauseMeanNs;
  private double replay;
  private double reorder;
  private long reorderDelayNs;
  private double clog;
  private long clogMeanNs;
  private double partition;
  private long partitionMeanNs;
  private long rateBytesPerSecond;
  private long queueBytes;
  private MarkingCurve marking;
  private long completionDelayMaxNs;
  private double fenceFailure;

  FaultPlanBuilder(FaultPlan start) {
    this.start = start;
    loss = start.lossProbability();
    lossBurstPackets = start.lossBurstPackets();
    paths = start.paths();
    pathSpreadNs = start.pathSpreadNs();
    clockOffsetMaxNs = start.clockOffsetMaxNs();
    clockDriftMaxPpm = start.clockDriftMaxPpm();
    turnMeanNs = start.turnMeanNs();
    pauseMeanNs = start.pauseMeanNs();
    replay = start.replayProbability();
    reorder = start.reorderProbability();
    reorderDelayNs = start.reorderDelayNs();
    clog = start.clogProbability();
    clogMeanNs = start.clogMeanNs();
    partition = start.partitionProbability();
    partitionMeanNs = start.partitionMeanNs();
    rateBytesPerSecond = start.rateBytesPerSecond();
    queueBytes = start.queueBytes();
    marking = start.marking();
    completionDelayMaxNs = start.completionDelayMaxNs();
    fenceFailure = start.fenceFailureProbability();
  }

  /** A packet vanishes. */
  public FaultPlanBuilder loss(double probability) {
    loss = probability;
    return this;
  }

  /** As many vanish as before, but {@code packets} in a row on average. */
  public FaultPlanBuilder burst(double packets) {
    lossBurstPackets = packets;
    return this;
  }

  /** Each packet takes one of {@code newPaths}, the longest of them by {@code spreadNs} longer. */
  public FaultPlanBuilder spray(int newPaths, long spreadNs) {
    paths = newPaths;
    pathSpreadNs = spreadNs;
    return this;
  }

  /** Clocks are apart by so much at the start, each way, and run apart. */
  public FaultPlanBuilder clocks(long offsetMaxNs, int driftMaxPpm) {
    clockOffsetMaxNs = offsetMaxNs;
    clockDriftMaxPpm = driftMaxPpm;
    return this;
  }

  /** Processes outnumber cores: one runs for so long, then stands still for so long, on average. */
  public FaultPlanBuilder turns(long newTurnMeanNs, long newPauseMeanNs) {
    turnMeanNs = newTurnMeanNs;
    pauseMeanNs = newPauseMeanNs;
    return this;
  }

  /** A packet arrives once more. */
  public FaultPlanBuilder replay(double probability) {
    replay = probability;
    return this;
  }

  /** A packet alone is held back, for at most {@code delayNs}. */
  public FaultPlanBuilder reorder(double probability, long delayNs) {
    reorder = probability;
    reorderDelayNs = delayNs;
    return this;
  }

  /** The link holds everything back, for {@code meanNs} on average. */
  public FaultPlanBuilder clog(double probability, long meanNs) {
    clog = probability;
    clogMeanNs = meanNs;
    return this;
  }

  /** The link goes silent, for {@code meanNs} on average. */
  public FaultPlanBuilder partition(double probability, long meanNs) {
    partition = probability;
    partitionMeanNs = meanNs;
    return this;
  }

  /** What the link carries, and how much waits for it before more is dropped. */
  public FaultPlanBuilder rate(long bytesPerSecond, long newQueueBytes) {
    rateBytesPerSecond = bytesPerSecond;
    queueBytes = newQueueBytes;
    return this;
  }

  /** Packets are marked while others wait for the link. */
  public FaultPlanBuilder marking(MarkingCurve newMarking) {
    marking = newMarking;
    return this;
  }

  /** Local completions come so late at most. */
  public FaultPlanBuilder completions(long delayMaxNs) {
    completionDelayMaxNs = delayMaxNs;
    return this;
  }

  /** A slab slot gets no new key now. */
  public FaultPlanBuilder fenceFailure(double probability) {
    fenceFailure = probability;
    return this;
  }

  /** The plan. */
  public FaultPlan build() {
    return new FaultPlan(
        start.oneWayDelayMinNs(),
        start.oneWayDelayMeanNs(),
        loss,
        lossBurstPackets,
        replay,
        reorder,
        reorderDelayNs,
        paths,
        pathSpreadNs,
        partition,
        partitionMeanNs,
        start.symmetricPartitions(),
        clog,
        clogMeanNs,
        rateBytesPerSecond,
        queueBytes,
        marking,
        start.refusalProbability(),
        completionDelayMaxNs,
        clockOffsetMaxNs,
        clockDriftMaxPpm,
        fenceFailure,
        turnMeanNs,
        pauseMeanNs);
  }
}
