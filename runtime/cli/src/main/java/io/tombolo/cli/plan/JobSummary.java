// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import io.tombolo.base.DataType;
import io.tombolo.cli.console.Figures;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Bounds;
import io.tombolo.runtime.plan.JobTime;
import io.tombolo.runtime.plan.Mover;
import io.tombolo.runtime.plan.Movers;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.topology.Cluster;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.ToLongBiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A planned job in figures, as the terminal and JSON show it.
 *
 * @param call the operation
 * @param size number of ranks
 * @param planned which of them were planned, as a sentence
 * @param sizeBytes the larger buffer of the rank with the largest
 * @param algorithm how data goes between clusters, and why
 * @param time what it is predicted to take
 * @param clusters what crosses each cluster's border
 * @param ranks what each planned rank does
 * @param copies what the ranks' figures of copies go by, as a sentence
 * @param proven what is known of the plans' correctness, as a sentence
 * @param program the steps of the rank that was asked for; null if none was
 */
record JobSummary(
    String call,
    int size,
    String planned,
    long sizeBytes,
    Choice algorithm,
    Prediction time,
    List<ClusterRow> clusters,
    List<RankRow> ranks,
    String copies,
    String proven,
    List<String> program) {

  private static final String HOST = "host";

  /**
   * One cluster; the bounds must leave and enter it whatever the algorithm. What does is null where
   * not all ranks were planned.
   */
  record ClusterRow(
      int cluster,
      String vendor,
      List<Integer> ranks,
      Long outBytes,
      long outBoundBytes,
      Long inBytes,
      long inBoundBytes) {}

  /**
   * One rank, whose {@code memory} is {@code host} or {@code device}; {@code peers} are the ranks
   * of other clusters it sends to. The processor copies {@code copiedBytes}, and the device {@code
   * engineBytes}, between messages and slots; {@code stagedBytes} go between the memory and the
   * stage, and whose the memory is copies them.
   */
  record RankRow(
      int rank,
      int cluster,
      long steps,
      long intraBytes,
      long crossBytes,
      String memory,
      long copiedBytes,
      long engineBytes,
      long stagedBytes,
      List<Integer> peers,
      long timePs) {
    /** Bytes that processors copy. */
    long byProcessor() {
      return copiedBytes + (isOnHost() ? stagedBytes : 0);
    }

    /** Bytes that the device copies. */
    long byDevice() {
      return engineBytes + (isOnHost() ? 0 : stagedBytes);
    }

    private boolean isOnHost() {
      return memory.equals(HOST);
    }
  }

  /** The summary of {@code job}, with the program of {@code rank} unless that is null. */
  static JobSummary of(PlannedJob job, Integer rank) {
    JobTime time = job.time();
    List<Cluster> clusters = job.context().clustering().clusters();
    int size = job.size();
    return new JobSummary(
        job.call().toString(),
        size,
        PlannedRanks.sentence(job),
        job.ranks().stream()
            .mapToLong(each -> job.call().sizeBytes(each.rank(), size))
            .max()
            .orElse(0),
        Choice.of(job),
        Prediction.of(job, time),
        clusters.stream().map(cluster -> row(job, cluster)).toList(),
        IntStream.range(0, job.ranks().size())
            .mapToObj(each -> row(job, job.ranks().get(each), time.ranks().get(each)))
            .toList(),
        job.outlook().text(),
        proven(job.prove()),
        rank == null ? null : program(job.rank(rank), job.outlook().movers(rank)));
  }

  private static ClusterRow row(PlannedJob job, Cluster cluster) {
    Bounds bounds = Bounds.of(job.context().clustering(), job.call(), cluster);
    return new ClusterRow(
        cluster.index(),
        cluster.vendor(),
        cluster.ranks(),
        crossing(job, cluster, JobSummary::outOf),
        bounds.outBytes(),
        crossing(job, cluster, JobSummary::into),
        bounds.inBytes());
  }

  /** The bytes of those elements of all members that {@code elements} counts of one step. */
  private static Long crossing(
      PlannedJob job, Cluster cluster, ToLongBiFunction<Cluster, Action> elements) {
    if (!job.isWhole()) {
      return null;
    }
    long sum = 0;
    for (int rank : cluster.ranks()) {
      sum +=
          job.rank(rank)
              .figure(
                  plan ->
                      plan.steps().stream()
                          .mapToLong(step -> elements.applyAsLong(cluster, step.action()))
                          .sum());
    }
    return sum * job.call().type().sizeBytes();
  }

  private static long outOf(Cluster cluster, Action action) {
    return action instanceof Action.Send send && cluster.positionOf(send.peer()) < 0
        ? send.from().length()
        : 0;
  }

  private static long into(Cluster cluster, Action action) {
    return action instanceof Action.Receive receive && cluster.positionOf(receive.peer()) < 0
        ? receive.to().length()
        : 0;
  }

  private static RankRow row(PlannedJob job, PlannedRank rank, JobTime.RankTime time) {
    List<Integer> peers =
        rank.plan().steps().stream()
            .filter(step -> step.action() instanceof Action.Send)
            .map(step -> ((Action.Send) step.action()).peer())
            .distinct()
            .sorted()
            .toList();
    Movers movers = job.outlook().movers(rank.rank());
    return new RankRow(
        rank.rank(),
        job.context().clustering().clusterOf(rank.rank()).index(),
        rank.figure(plan -> plan.steps().size()),
        rank.figure(Plan::intraBytes),
        rank.figure(Plan::crossBytes),
        movers.onHost() ? HOST : "device",
        rank.figure(plan -> movers.slotBytes(plan, Mover.PROCESSOR)),
        rank.figure(plan -> movers.slotBytes(plan, Mover.ENGINE)),
        rank.figure(movers::stagedBytes),
        peers,
        time.endPs());
  }

  private static String proven(OptionalLong bytes) {
    return bytes.isEmpty()
        ? "not proven here: that takes long for more than 16 ranks; tombolo bench planning does it"
        : "proven on %s of it: every rank ends with every contribution once; nothing races, nothing waits in a circle"
            .formatted(Figures.bytes(bytes.getAsLong()));
  }

  private static List<String> program(PlannedRank rank, Movers movers) {
    DataType type = rank.plan().call().type();
    Stream<String> lines =
        rank.plan().steps().stream()
            .map(
                step ->
                    "  "
                        + step
                        + movers
                            .of(type, step.action())
                            .map(mover -> "; by " + mover.words())
                            .orElse(""));
    String title = rank.plan().title();
    String rest = "and %d segments before the last one".formatted(rank.omitted());
    return Stream.of(
            Stream.of(title), lines, rank.omitted() == 0 ? Stream.<String>of() : Stream.of(rest))
        .flatMap(each -> each)
        .toList();
  }
}
