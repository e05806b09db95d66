// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import io.tombolo.base.Command;
import io.tombolo.bench.loss.P2pCommand;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tombolo bench}. */
@CommandLine.Command(
    name = "bench",
    description =
        "Measure a collective operation, messages between ranks, what losses cost a link, or how"
            + " long planning takes.",
    modelTransformer = OperationCommands.class,
    subcommands = {P2pCommand.class, PlanningCommand.class},
    footer = {
      "%nExit code: 0 if nothing was wrong, 1 if a result was wrong or the job failed, 2 for wrong"
          + " usage.",
      "%nExamples:",
      "  tombolo bench all_reduce -b 8 -e 64M -f 4",
      "  tombolo bench all_to_all --clusters emu-nvidia:2,emu-amd:2",
      "  tombolo bench send_receive --clusters host:1,intel:1 --blocking",
      "  tombolo bench p2p --fabric sim --loss 1%% --delay 500us --rate 1Gbit --against go-back-n",
      "  tombolo bench planning"
    })
public final class BenchCommand implements Command {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(), "measure what? " + String.join(", ", spec.subcommands().keySet()));
  }
}
