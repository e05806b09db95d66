// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.store;

import io.tombolo.base.Command;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tombolo store}. */
@CommandLine.Command(
    name = "store",
    description = {
      "Hold tensors for other processes, and look at what is held. All of them need the volume's"
          + " token in TOMBOLO_TOKEN."
    },
    subcommands = {ServeCommand.class, LsCommand.class, StatCommand.class, StoreBenchCommand.class},
    footer = {
      "%nExit code: 0 when done, 1 if the volume could not be reached or started, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo store serve --listen 127.0.0.1:7777 --memory 4G",
      "  tombolo store ls 127.0.0.1:7777",
      "  tombolo store stat 127.0.0.1:7777"
    })
public final class StoreCommand implements Command {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(), "do what? " + String.join(", ", spec.subcommands().keySet()));
  }
}
