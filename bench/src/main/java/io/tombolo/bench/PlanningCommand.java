// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.gson.Gson;
import io.tombolo.base.ByteSizes;
import io.tombolo.base.Command;
import io.tombolo.base.errors.UsageException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tombolo bench planning}. */
@CommandLine.Command(
    name = "planning",
    description = {
      "Time what one rank of an imagined job computes before an all_reduce: clusters, and its own program. Of small"
          + " jobs, the programs of all ranks are proven right together too.",
      "",
      "Vendors take turns from rank to rank, 8 ranks have a host. Each time is that of the first and only run."
    },
    footer = {
      "%nExit code: 0 when all was planned and proven, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo bench planning",
      "  tombolo bench planning --ranks 1000,10000 --clusters 3 --json"
    })
public final class PlanningCommand implements Command {
  private static final int MAX_RANKS = 1 << 20;

  @Spec private CommandSpec spec;

  @Option(
      names = "--ranks",
      split = ",",
      paramLabel = "N,…",
      defaultValue = "8,512,8192,100000",
      description = "Sizes of the jobs (default: ${DEFAULT-VALUE}).")
  private List<Integer> ranks;

  @Option(
      names = "--clusters",
      paramLabel = "N",
      defaultValue = "4",
      description = "Vendors in each job (default: ${DEFAULT-VALUE}).")
  private int clusters;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      defaultValue = "256M",
      description = "Bytes of the vector (default: ${DEFAULT-VALUE}).")
  private String size;

  @Option(
      names = "--prove",
      paramLabel = "N",
      defaultValue = "512",
      description = "Prove jobs of at most so many ranks (default: ${DEFAULT-VALUE}).")
  private int mostProven;

  @Option(names = "--json", description = "Print one JSON object per job.")
  private boolean json;

  @Override
  public Integer call() {
    for (int each : ranks) {
      if (each < clusters || clusters < 1 || each > MAX_RANKS) {
        throw new UsageException(
            "a job has at least a rank for each of %d clusters and at most %d, not %d"
                .formatted(clusters, MAX_RANKS, each));
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    if (!json) {
      out.println("   ranks  clustered        planned   steps  allocated        all proven");
    }
    for (int each : ranks) {
      PlanningRun run = PlanningRun.of(each, clusters, ByteSizes.parse(size), each <= mostProven);
      out.println(json ? new Gson().toJson(run) : text(run));
      out.flush();
    }
    return ExitCode.OK;
  }

  private static String text(PlanningRun run) {
    String proven =
        run.proveNs() == 0
            ? "-"
            : String.format(Locale.ROOT, "%.1f ms, %d B", run.proveNs() / 1e6, run.provenBytes());
    return String.format(
        Locale.ROOT,
        "%8d %7.1f ms %11.1f ms %7d %6.1f MiB  %16s",
        run.ranks(),
        run.clusterNs() / 1e6,
        run.planNs() / 1e6,
        run.steps(),
        run.allocatedBytes() / (double) (1 << 20),
        proven);
  }
}
