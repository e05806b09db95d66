// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** What stands before every command: the options all of them have, and the look of their help. */
@Command(
    name = "tombolo",
    scope = ScopeType.INHERIT,
    sortOptions = false,
    usageHelpWidth = 100,
    synopsisHeading = "Usage: ",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    commandListHeading = "%nCommands:%n")
final class RootCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /**
   * Completes the command before others are put under it; as annotations these would be theirs too.
   */
  void describe() {
    spec.addOption(option("Show this help.", "-h", "--help").usageHelp(true).build());
    spec.addOption(
        option("Log to standard error, and show stack traces.", Verbosity.OPTION).build());
    spec.usageMessage()
        .description("Tombolo joins accelerators of different vendors into one communicator.")
        .footer(
            "",
            "'tombolo COMMAND --help' tells more. Exit codes: 0 done, 1 a check or the job failed, 2 wrong"
                + " usage.",
            "",
            "Examples:",
            "  tombolo demo",
            "  tombolo bench all_reduce -b 8 -e 64M -f 4",
            "  tombolo vendors");
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getOut());
    return ExitCode.OK;
  }

  private static OptionSpec.Builder option(String description, String... names) {
    return OptionSpec.builder(names)
        .arity("0")
        .type(boolean.class)
        .description(description)
        .scopeType(ScopeType.INHERIT);
  }
}
