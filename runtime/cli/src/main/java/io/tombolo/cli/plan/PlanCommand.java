package io.tombolo.cli.plan;

import io.tombolo.base.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tombolo plan}: one sub-command an operation. */
@picocli.CommandLine.Command(
    name = "plan",
    description =
        "Show what each rank of an imagined job would do, and prove it right. Nothing is started.",
    subcommands = PlanAllReduceCommand.class,
    footer = {
      "%nExit code: 0 when planned, 1 if no plan is possible, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo plan all_reduce 256M --clusters nvidia:3,amd:5"
    })
public final class PlanCommand implements Command {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "say which operation to plan: all_reduce");
  }
}
