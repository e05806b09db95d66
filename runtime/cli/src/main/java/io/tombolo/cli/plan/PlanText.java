// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Figures;
import io.tombolo.cli.console.Table;
import java.util.List;

/** A planned job for people. */
final class PlanText {
  private static final int MAX_LISTED = 64;

  private PlanText() {}

  static void print(Console console, JobSummary summary) {
    console.line(
        "%s (%s) over %d ranks in %d clusters"
            .formatted(
                summary.call(),
                Figures.bytes(summary.sizeBytes()),
                summary.size(),
                summary.clusters().size()));
    console.line(summary.planned());
    console.line("");
    clusters(summary).print(console);
    console.line("");
    ranks(summary).print(console);
    console.line("");
    console.line(
        "  algorithm  " + summary.algorithm().name() + ", " + summary.algorithm().reason());
    console.line(
        "  time       predicted %s; what must cross takes %s"
            .formatted(
                Figures.time(summary.time().predictedPs()),
                Figures.time(summary.time().boundPs())));
    console.line("  " + summary.time().bottleneck());
    console.line("  " + summary.copies());
    console.line("  " + summary.proven());
    if (summary.program() != null) {
      console.line("");
      summary.program().forEach(line -> console.line("  " + line));
    }
  }

  private static Table clusters(JobSummary summary) {
    Table table =
        new Table("cluster", "vendor", "ranks", "out of it", "at least", "into it", "at least");
    for (JobSummary.ClusterRow row : summary.clusters()) {
      table.row(
          row.cluster(),
          row.vendor(),
          ranks(row.ranks()),
          bytes(row.outBytes()),
          Figures.bytes(row.outBoundBytes()),
          bytes(row.inBytes()),
          Figures.bytes(row.inBoundBytes()));
    }
    return table;
  }

  private static String bytes(Long count) {
    return count == null ? "not counted" : Figures.bytes(count);
  }

  /** More than anyone reads are counted. */
  private static String ranks(List<Integer> ranks) {
    return ranks.size() <= MAX_LISTED
        ? ranks.toString()
        : "%d ranks, %d to %d".formatted(ranks.size(), ranks.get(0), ranks.get(ranks.size() - 1));
  }

  private static Table ranks(JobSummary summary) {
    Table table =
        new Table(
            "rank",
            "cluster",
            "steps",
            "hands to its library",
            "sends across",
            "processor copies",
            "device copies",
            "done after",
            "exchanges with");
    for (JobSummary.RankRow row : summary.ranks()) {
      table.row(
          row.rank(),
          row.cluster(),
          row.steps(),
          Figures.bytes(row.intraBytes()),
          Figures.bytes(row.crossBytes()),
          Figures.bytes(row.byProcessor()),
          Figures.bytes(row.byDevice()),
          Figures.time(row.timePs()),
          row.peers().isEmpty() ? "nobody" : ranks(row.peers()));
    }
    return table;
  }
}
