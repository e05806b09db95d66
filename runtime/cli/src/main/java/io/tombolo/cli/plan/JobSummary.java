// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import io.tombolo.cli.console.Figures;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Bounds;
import io.tombolo.runtime.plan.JobTime;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Step;
import io.tombolo.topology.Cluster;
import java.util.List;
import java.util.OptionalLong;

/**
 * A planned job in figures, as the terminal and JSON show it.
 *
 * @param call the operation
 * @param sizeBytes the larger buffer of the rank with the largest
 * @param algorithm how data goes between clusters, and why
 * @param time what it is predicted to take
 * @param clusters what crosses each cluster's border
 * @param ranks what each rank does
 * @param proven what is known of the plans' correctness, as a sentence
 * @param program the steps of the rank that was asked for; null if none was
 */
record JobSummary(
    String call,
    long sizeBytes,
    Choice algorithm,
    Prediction time,
    List<ClusterRow> clusters,
    List<RankRow> ranks,
    String proven,
    List<String> program) {

  /** One cluster; the bounds must leave and enter it whatever the algorithm. */
  record ClusterRow(
      int cluster,
      String vendor,
      List<Integer> ranks,
      long outBytes,
      long outBoundBytes,
      long inBytes,
      long inBoundBytes) {}

  /** One rank; {@code peers} are the ranks of other clusters it sends to. */
  record RankRow(
      int rank,
      int cluster,
      int steps,
      long intraBytes,
      long crossBytes,
      List<Integer> peers,
      long timePs) {}

  /** The summary of {@code job}, with the program of {@code rank} unless that is null. */
  static JobSummary of(PlannedJob job, Integer rank) {
    JobTime time = JobTime.of(job.context(), job.plans());
    List<Cluster> clusters = job.context().clustering().clusters();
    int size = job.plans().size();
    return new JobSummary(
        job.call().toString(),
        job.plans().stream()
            .mapToLong(plan -> job.call().sizeBytes(plan.rank(), size))
            .max()
            .orElse(0),
        Choice.of(job),
        Prediction.of(job, time),
        clusters.stream().map(cluster -> row(job, cluster)).toList(),
        job.plans().stream().map(plan -> row(job, plan, time)).toList(),
        proven(job.prove()),
        rank == null ? null : program(job.plans().get(rank)));
  }

  private static ClusterRow row(PlannedJob job, Cluster cluster) {
    long out = 0;
    long in = 0;
    for (int rank : cluster.ranks()) {
      for (Step step : job.plans().get(rank).steps()) {
        if (step.action() instanceof Action.Send send) {
          out += cluster.positionOf(send.peer()) < 0 ? send.from().length() : 0;
        } else if (step.action() instanceof Action.Receive receive) {
          in += cluster.positionOf(receive.peer()) < 0 ? receive.to().length() : 0;
        }
      }
    }
    int size = job.call().type().sizeBytes();
    Bounds bounds = Bounds.of(job.context().clustering(), job.call(), cluster);
    return new ClusterRow(
        cluster.index(),
        cluster.vendor(),
        cluster.ranks(),
        out * size,
        bounds.outBytes(),
        in * size,
        bounds.inBytes());
  }

  private static RankRow row(PlannedJob job, Plan plan, JobTime time) {
    List<Integer> peers =
        plan.steps().stream()
            .filter(step -> step.action() instanceof Action.Send)
            .map(step -> ((Action.Send) step.action()).peer())
            .distinct()
            .sorted()
            .toList();
    return new RankRow(
        plan.rank(),
        job.context().clustering().clusterOf(plan.rank()).index(),
        plan.steps().size(),
        plan.intraBytes(),
        plan.crossBytes(),
        peers,
        time.ranks().get(plan.rank()).endPs());
  }

  private static String proven(OptionalLong bytes) {
    return bytes.isEmpty()
        ? "not proven here: that takes long for more than 16 ranks; tombolo bench planning does it"
        : "proven on %s of it: every rank ends with every contribution once; nothing races, nothing waits in a circle"
            .formatted(Figures.bytes(bytes.getAsLong()));
  }

  private static List<String> program(Plan plan) {
    return plan.toString().lines().toList();
  }
}
