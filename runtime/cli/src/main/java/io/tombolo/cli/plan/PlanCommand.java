// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import com.google.gson.GsonBuilder;
import io.tombolo.base.Command;
import io.tombolo.base.errors.UsageException;
import io.tombolo.cli.console.Console;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.ImaginedRanks;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tombolo plan}: what a job would do. */
@picocli.CommandLine.Command(
    name = "plan",
    description = {
      "Show how an operation would run: the bytes of each cluster beside the lower bounds, the"
          + " algorithm and why, the predicted time and what it is spent on, each rank's part, and"
          + " with --rank one rank's program, step by step.",
      "Nothing is started, and nobody needs a device for it. The plans of all ranks of a small job"
          + " are proven right together; of more than 1024 ranks some are planned that stand for the"
          + " others. Times are predicted from nominal figures of common machines."
    },
    subcommands = ReshardCommand.class,
    footer = {
      "%nExit code: 0 when planned, 1 if no plan is possible, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo plan all_reduce 256M --clusters nvidia:3,amd:5,intel:2",
      "  tombolo plan all_gather 64M --clusters a:3,b:5 --in-place",
      "  tombolo plan broadcast 4K --clusters a:1,b:2 --root 2 --rank 0",
      "  tombolo plan all_reduce 4K --clusters a:3,b:5,c:2,d:1 --algorithm doubling",
      "  tombolo plan reduce_scatter 1G --clusters nvidia:8,amd:8 --json",
      "  tombolo plan reshard 4096x1024/S0:4@nvidia /S1:2@amd"
    })
public final class PlanCommand implements Command {
  @Spec private CommandSpec spec;

  @Mixin private CallArguments call;

  @Option(
      names = "--clusters",
      paramLabel = "NAME:RANKS,...",
      description =
          "Vendors and how many ranks each has; any names. A library can do what its vendor's row"
              + " declares, that of an unknown vendor everything.")
  private String clusters;

  @Option(
      names = "--order",
      paramLabel = "NAME,...",
      description = "The vendor of each rank, in rank order.")
  private String order;

  @Option(
      names = {"--algorithm", "--algorithms"},
      paramLabel = "NAME|RULES",
      description =
          "pieces, direct or (all_reduce) doubling, or rules as the setting algorithms has them:"
              + " all_reduce:0-4k@doubling (default: the cost model chooses).")
  private String algorithms;

  @Option(
      names = "--one-host",
      description =
          "All ranks are on this host, as tombolo demo starts them (default: each vendor has its"
              + " own).")
  private boolean oneHost;

  @Option(names = "--rank", paramLabel = "RANK", description = "Print this rank's program too.")
  private Integer rank;

  @Option(names = "--json", description = "Print one JSON object; docs/output.md has its members.")
  private boolean json;

  @Override
  public Integer call() {
    if (clusters == null || !call.isGiven()) {
      throw new UsageException(
          "say what to plan and for whom, for example: tombolo plan all_reduce 256M --clusters"
              + " nvidia:3,amd:5");
    }
    ClusterSpec clusterSpec =
        order == null ? ClusterSpec.imagined(clusters) : ClusterSpec.imagined(clusters, order);
    ImaginedRanks.unknownVendors(clusterSpec).ifPresent(spec.commandLine().getErr()::println);
    List<RankDescriptor> ranks =
        oneHost ? ImaginedRanks.onThisHost(clusterSpec) : ImaginedRanks.apart(clusterSpec);
    if (rank != null && (rank < 0 || rank >= ranks.size())) {
      throw new UsageException(
          "there is no rank " + rank + "; ranks are 0 to " + (ranks.size() - 1));
    }
    OptionalInt asked = rank == null ? OptionalInt.empty() : OptionalInt.of(rank);
    PlannedJob job = PlannedJob.of(ranks, call::of, settings(), asked);
    JobSummary summary = JobSummary.of(job, rank);
    if (json) {
      spec.commandLine()
          .getOut()
          .println(new GsonBuilder().setPrettyPrinting().create().toJson(summary));
    } else {
      PlanText.print(Console.of(spec), summary);
    }
    return ExitCode.OK;
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>(JobEnvironment.settingsOf(System.getenv()));
    if (algorithms != null) {
      settings.put(
          "algorithms",
          algorithms.contains("@")
              ? algorithms
              : call.collective().even().text() + "@" + algorithms);
    }
    return settings;
  }
}
