// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.get;

import io.tombolo.base.Command;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tombolo get}. */
@CommandLine.Command(
    name = "get",
    description = "Fetch a vendor's library that may not travel with this program.",
    subcommands = GetOneCclCommand.class,
    footer = {
      "%nExit code: 0 when it is there, 1 if it could not be had, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo get oneccl"
    })
public final class GetCommand implements Command {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(), "get what? " + String.join(", ", spec.subcommands().keySet()));
  }
}
