package io.tombolo.cli.plan;

import com.google.gson.GsonBuilder;
import io.tombolo.base.ByteSizes;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UsageException;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Figures;
import io.tombolo.cli.console.Table;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import java.util.concurrent.Callable;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tombolo plan all_reduce}. */
@picocli.CommandLine.Command(
    name = "all_reduce",
    description = {
      "Show how an all_reduce would run: the bytes of each cluster beside the lower bound, each rank's part, and",
      "with --rank one rank's program, step by step. The plans of all ranks are proven right together: nobody",
      "needs a device for that."
    },
    footer = {
      "%nExit code: 0 when planned, 1 if no plan is possible, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo plan all_reduce 256M --clusters nvidia:3,amd:5,intel:2",
      "  tombolo plan all_reduce 4K --clusters a:1,b:2 --rank 2",
      "  tombolo plan all_reduce 1G --clusters nvidia:8,amd:8 --json"
    })
public final class PlanAllReduceCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "SIZE", description = "Bytes of each rank's vector: 8, 64K, 256M, 2G.")
  private String size;

  @Option(
      names = "--clusters",
      required = true,
      paramLabel = "NAME:RANKS,...",
      description = "Vendors and how many ranks each has; any names.")
  private String clusters;

  @Option(
      names = "--order",
      paramLabel = "NAME,...",
      description = "The vendor of each rank, in rank order.")
  private String order;

  @Option(
      names = "--type",
      defaultValue = "f32",
      description = "Element type (default: ${DEFAULT-VALUE}).")
  private String type;

  @Option(
      names = "--op",
      defaultValue = "sum",
      description = "Operator (default: ${DEFAULT-VALUE}).")
  private String op;

  @Option(names = "--rank", paramLabel = "RANK", description = "Print this rank's program too.")
  private Integer rank;

  @Option(names = "--json", description = "Print one JSON object: call, clusters, ranks, proven.")
  private boolean json;

  @Override
  public Integer call() {
    DataType elements = DataType.parse(type);
    CollectiveCall call =
        CollectiveCall.allReduce(
            ByteSizes.parse(size) / elements.sizeBytes(), elements, ReduceOp.parse(op), false);
    PlannedJob job =
        PlannedJob.of(
            order == null ? ClusterSpec.parse(clusters) : ClusterSpec.parse(clusters, order), call);
    if (rank != null && (rank < 0 || rank >= job.plans().size())) {
      throw new UsageException(
          "there is no rank " + rank + "; ranks are 0 to " + (job.plans().size() - 1));
    }
    if (json) {
      spec.commandLine()
          .getOut()
          .println(new GsonBuilder().setPrettyPrinting().create().toJson(job.summary()));
    } else {
      print(job, call);
    }
    return ExitCode.OK;
  }

  private void print(PlannedJob job, CollectiveCall call) {
    Console console = Console.of(spec);
    JobSummary summary = job.summary();
    console.line(
        "%s (%s) over %d ranks in %d clusters"
            .formatted(
                call,
                Figures.bytes(call.sizeBytes(0, job.context().clustering().size())),
                job.plans().size(),
                summary.clusters().size()));
    console.line("");
    Table byCluster =
        new Table("cluster", "vendor", "ranks", "out of it", "into it", "lower bound");
    for (JobSummary.ClusterRow row : summary.clusters()) {
      byCluster.row(
          row.cluster(),
          row.vendor(),
          row.ranks(),
          Figures.bytes(row.outBytes()),
          Figures.bytes(row.inBytes()),
          Figures.bytes(row.boundBytes()));
    }
    byCluster.print(console);
    console.line("");
    Table byRank =
        new Table(
            "rank", "cluster", "steps", "hands to its library", "sends across", "exchanges with");
    for (JobSummary.RankRow row : summary.ranks()) {
      byRank.row(
          row.rank(),
          row.cluster(),
          row.steps(),
          Figures.bytes(row.intraBytes()),
          Figures.bytes(row.crossBytes()),
          row.peers().isEmpty() ? "nobody" : row.peers());
    }
    byRank.print(console);
    console.line("");
    console.line("  " + summary.bottleneck());
    console.line("  " + summary.proven());
    if (rank != null) {
      printProgram(console, job.plans().get(rank));
    }
  }

  private static void printProgram(Console console, Plan plan) {
    console.line("");
    plan.toString().lines().forEach(line -> console.line("  " + line));
  }
}
