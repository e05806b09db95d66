// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.topo;

import io.tombolo.base.Command;
import io.tombolo.cli.console.Console;
import io.tombolo.topology.TopologyDiff;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tombolo topo diff}. */
@CommandLine.Command(
    name = "diff",
    description = {
      "Show what differs between two topologies; exit code 1 if anything does.",
      "",
      "Each is a file as --input takes it, or a specification as --simulate takes it."
    },
    footer = {
      "%nExit code: 0 if nothing differs, 1 if anything does, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo topo diff yesterday.json today.json",
      "  tombolo topo diff '2x(8xNVIDIA,8x400G)' '2x(8xNVIDIA,4x400G)'"
    })
public final class TopoDiffCommand implements Command {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "A", description = "What was.")
  private String before;

  @Parameters(index = "1", paramLabel = "B", description = "What is.")
  private String after;

  @Override
  public Integer call() {
    List<String> differences =
        TopologyDiff.between(TopologySource.of(before), TopologySource.of(after));
    Console console = Console.of(spec);
    differences.forEach(console::line);
    if (differences.isEmpty()) {
      console.line("no difference");
    }
    return differences.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
  }
}
