// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import com.google.gson.GsonBuilder;
import io.tombolo.base.Command;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.UsageException;
import io.tombolo.cli.console.Console;
import io.tombolo.tensors.layout.LayoutSpec;
import io.tombolo.tensors.layout.TensorLayout;
import io.tombolo.tensors.reshard.Resharding;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tombolo plan reshard}. */
@CommandLine.Command(
    name = "reshard",
    description = {
      "Show what has to move for a tensor to get from one layout to another: which rank gives what"
          + " to whom, and how many bytes stay in a process, on a host, with a vendor. Each element"
          + " comes once, from one of the nearest ranks that have it. Plans of small jobs are"
          + " proven right.",
      "",
      "A layout is SHAPE/AXES@PLACES.",
      "  SHAPE   4096x1024: the tensor. TO has that of FROM if it names none.",
      "  AXES    of the mesh, as torch's DTensor has them, the slowest first: S0:4 (dimension 0 in 4"
          + " parts), S0:3+5 (in parts of 3 and 5), SS0:2 (strided: cut after the axes that"
          + " follow), R:2 (2 replicas). None: one rank has all.",
      "  PLACES  8xnvidia: hosts of 8 processes of this vendor; 8xnvidia+16: from its process 16 on."
          + " Without a number all are on one host. Equal processes of FROM and TO are the same"
          + " ones."
    },
    footer = {
      "%nExit code: 0 when planned, 1 if no plan is possible, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo plan reshard 4096x1024/S0:4 /S1:2",
      "  tombolo plan reshard 4096x1024/R:2,S0:4@8xnvidia /S0:2@amd --type bf16",
      "  tombolo plan reshard 8192x8192/SS0:8,S0:2@8xnvidia /S0:1024+7168@4xamd --rank 1",
      "  tombolo plan reshard 10000x5000/S0:10000@8xa /S1:1000@8xb --json"
    })
public final class ReshardCommand implements Command {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "FROM", description = "The layout that there is.")
  private String from;

  @Parameters(index = "1", paramLabel = "TO", description = "The layout that is wanted.")
  private String to;

  @Option(
      names = "--type",
      defaultValue = "f32",
      description = "Element type (default: ${DEFAULT-VALUE}).")
  private String type;

  @Option(
      names = "--one-host",
      description = "All ranks are on one host (default: each vendor has hosts of its own).")
  private boolean oneHost;

  @Option(
      names = "--rank",
      paramLabel = "RANK",
      description = "List what comes to this rank of TO, too.")
  private Integer rank;

  @Option(names = "--json", description = "Print one JSON object; docs/output.md has its members.")
  private boolean json;

  @Override
  public Integer call() {
    LayoutSpec old = LayoutSpec.parse(from);
    if (old.shape().isEmpty()) {
      throw new UsageException(
          "FROM needs a shape, for example 4096x1024/S0:4; got '" + from + "'");
    }
    TensorLayout source = old.layout(old.shape().get().toArray(), oneHost);
    TensorLayout destination = LayoutSpec.parse(to).layout(old.shape().get().toArray(), oneHost);
    if (rank != null && (rank < 0 || rank >= destination.size())) {
      throw new UsageException(
          "TO has no rank " + rank + "; its ranks are 0 to " + (destination.size() - 1));
    }
    Resharding plan = Resharding.of(source, destination);
    ReshardSummary summary = ReshardSummary.of(plan, DataType.parse(type), from, to, rank);
    if (json) {
      spec.commandLine()
          .getOut()
          .println(new GsonBuilder().setPrettyPrinting().create().toJson(summary));
    } else {
      ReshardText.print(Console.of(spec), summary, plan);
    }
    return ExitCode.OK;
  }
}
