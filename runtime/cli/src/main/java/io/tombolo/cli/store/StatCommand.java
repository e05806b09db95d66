// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.store;

import com.google.gson.GsonBuilder;
import io.tombolo.base.Command;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Figures;
import io.tombolo.store.StoreOptions;
import io.tombolo.store.TensorStore;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tombolo store stat}. */
@CommandLine.Command(
    name = "stat",
    description = "Show how full a volume is, and who uses it. This client is one of its clients.",
    footer = {
      "%nExit code: 0 when shown, 1 if the volume could not be reached, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo store stat 127.0.0.1:7777",
      "  tombolo store stat 127.0.0.1:7777 --json"
    })
public final class StatCommand implements Command {
  private final Map<String, String> environment;

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "HOST:PORT", description = "Where the volume is.")
  private String place;

  @Option(names = "--json", description = "Print one JSON object; docs/output.md has its members.")
  private boolean json;

  /** The command as the launcher makes it. */
  public StatCommand() {
    this(System.getenv());
  }

  StatCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    try (TensorStore store =
        TensorStore.connect(
            VolumePlace.address(place), VolumePlace.token(environment), StoreOptions.defaults())) {
      VolumeSummary summary = VolumeSummary.of(store.figures());
      if (json) {
        spec.commandLine()
            .getOut()
            .println(new GsonBuilder().setPrettyPrinting().create().toJson(summary));
      } else {
        print(summary);
      }
    }
    return ExitCode.OK;
  }

  private void print(VolumeSummary summary) {
    Console console = Console.of(spec);
    console.line(
        "memory: %s, of which %s are free; the largest gap has %s"
            .formatted(
                Figures.bytes(summary.capacityBytes()),
                Figures.bytes(summary.freeBytes()),
                Figures.bytes(summary.largestGapBytes())));
    console.line(
        "holds: %s state dicts in %s versions (%s are kept of each), %s tensors"
            .formatted(
                summary.stateDicts(),
                summary.versions(),
                summary.keptVersions(),
                summary.tensors()));
    console.line(
        "in use: by %s clients with %s puts under way and %s leases"
            .formatted(summary.clients(), summary.puts(), summary.leases()));
  }
}
