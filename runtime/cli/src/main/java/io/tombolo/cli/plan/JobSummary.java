package io.tombolo.cli.plan;

import io.tombolo.cli.console.Figures;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.topology.Cluster;
import java.util.Comparator;
import java.util.List;

/**
 * A planned job in figures, as the terminal and JSON show it.
 *
 * @param call the operation
 * @param clusters what crosses each cluster's border
 * @param ranks what each rank does
 * @param bottleneck the busiest rank, as a sentence
 * @param proven what is known of the plans' correctness, as a sentence
 */
record JobSummary(
    String call, List<ClusterRow> clusters, List<RankRow> ranks, String bottleneck, String proven) {

  /** One cluster; {@code boundBytes} must leave and enter it whatever the algorithm. */
  record ClusterRow(
      int cluster,
      String vendor,
      List<Integer> ranks,
      long outBytes,
      long inBytes,
      long boundBytes) {}

  /** One rank; {@code peers} are the ranks of other clusters it sends to. */
  record RankRow(
      int rank, int cluster, int steps, long intraBytes, long crossBytes, List<Integer> peers) {}

  static JobSummary of(PlannedJob job) {
    List<Cluster> clusters = job.context().clustering().clusters();
    List<RankRow> ranks = job.plans().stream().map(plan -> row(job, plan)).toList();
    return new JobSummary(
        job.call().toString(),
        clusters.stream().map(cluster -> row(job, cluster, clusters.size())).toList(),
        ranks,
        bottleneck(ranks),
        "proven on %s of it: every rank ends with every contribution once; nothing races, nothing waits in a circle"
            .formatted(Figures.bytes(job.prove())));
  }

  private static ClusterRow row(PlannedJob job, Cluster cluster, int clusters) {
    int size = job.call().type().sizeBytes();
    long out = cluster.ranks().stream().mapToLong(rank -> job.plans().get(rank).crossBytes()).sum();
    long in =
        cluster.ranks().stream()
            .mapToLong(rank -> receivedElements(job.plans().get(rank)) * size)
            .sum();
    long bound = Math.round(2.0 * (clusters - 1) / clusters * job.call().sizeBytes(0, job.context().clustering().size()));
    return new ClusterRow(cluster.index(), cluster.vendor(), cluster.ranks(), out, in, bound);
  }

  private static long receivedElements(Plan plan) {
    return plan.steps().stream()
        .mapToLong(
            step -> step.action() instanceof Action.Receive receive ? receive.to().length() : 0)
        .sum();
  }

  private static RankRow row(PlannedJob job, Plan plan) {
    List<Integer> peers =
        plan.steps().stream()
            .filter(step -> step.action() instanceof Action.Send)
            .map(step -> ((Action.Send) step.action()).peer())
            .distinct()
            .sorted()
            .toList();
    int cluster = job.context().clustering().clusterOf(plan.rank()).index();
    return new RankRow(
        plan.rank(), cluster, plan.steps().size(), plan.intraBytes(), plan.crossBytes(), peers);
  }

  private static String bottleneck(List<RankRow> ranks) {
    RankRow busiest =
        ranks.stream().max(Comparator.comparingLong(RankRow::crossBytes)).orElseThrow();
    return busiest.crossBytes() == 0
        ? "nothing crosses between clusters"
        : "between clusters rank %d is busiest: it sends %s"
            .formatted(busiest.rank(), Figures.bytes(busiest.crossBytes()));
  }
}
