// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

/** Changes of a {@link FaultPlan}, one kind of fault at a time. */
public final class FaultPlanBuilder {
  private final FaultPlan start;
  private double loss;
  private double replay;
  private double reorder;
  private long reorderDelayNs;
  private double clog;
  private long clogMeanNs;
  private double partition;
  private long partitionMeanNs;
  private long rateBytesPerSecond;
  private long queueBytes;

  FaultPlanBuilder(FaultPlan start) {
    this.start = start;
    loss = start.lossProbability();
    replay = start.replayProbability();
    reorder = start.reorderProbability();
    reorderDelayNs = start.reorderDelayNs();
    clog = start.clogProbability();
    clogMeanNs = start.clogMeanNs();
    partition = start.partitionProbability();
    partitionMeanNs = start.partitionMeanNs();
    rateBytesPerSecond = start.rateBytesPerSecond();
    queueBytes = start.queueBytes();
  }

  /** A packet vanishes. */
  public FaultPlanBuilder loss(double probability) {
    loss = probability;
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

  /** The plan. */
  public FaultPlan build() {
    return new FaultPlan(
        start.oneWayDelayMinNs(),
        start.oneWayDelayMeanNs(),
        loss,
        replay,
        reorder,
        reorderDelayNs,
        partition,
        partitionMeanNs,
        start.symmetricPartitions(),
        clog,
        clogMeanNs,
        rateBytesPerSecond,
        queueBytes,
        start.refusalProbability(),
        start.completionDelayMaxNs(),
        start.clockOffsetMaxNs(),
        start.clockDriftMaxPpm(),
        start.fenceFailureProbability());
  }
}
