// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.store;

import com.google.gson.GsonBuilder;
import io.tombolo.base.ByteSizes;
import io.tombolo.base.Command;
import io.tombolo.base.errors.UsageException;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Table;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tombolo store bench}. */
@CommandLine.Command(
    name = "bench",
    description = {
      "Put a state dict into a running volume and get it back, from shared memory and over the"
          + " connection, by this process as one rank and as several, in turn with a plain copy of as"
          + " many bytes. Shows medians. Checks what comes back, and leaves nothing in the volume.",
      "",
      "Over the connection both sides copy, and sum up what they copy; get from shared memory is one"
          + " copy; put is one copy and a checksum."
    },
    footer = {
      "%nExit code: 0 when measured, 1 if the volume could not be reached, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo store bench 127.0.0.1:7777",
      "  tombolo store bench 127.0.0.1:7777 --size 1G --tensors 1000 --rounds 9 --json",
      "  tombolo store bench 127.0.0.1:7777 --devices emu-nvidia,emu-amd"
    })
public final class StoreBenchCommand implements Command {
  private static final int MOST_RANKS = 64;

  private final Map<String, String> environment;

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "HOST:PORT", description = "Where the volume is.")
  private String place;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      defaultValue = "600MB",
      description = "Of the state dict (default: ${DEFAULT-VALUE}).")
  private String size;

  @Option(
      names = "--tensors",
      paramLabel = "N",
      defaultValue = "100",
      description = "In the state dict, of equal size (default: ${DEFAULT-VALUE}).")
  private int tensors;

  @Option(
      names = "--ranks",
      paramLabel = "N",
      defaultValue = "2",
      description =
          "That put the state dict together, cut by rows, and get it cut by columns"
              + " (default: ${DEFAULT-VALUE}).")
  private int ranks;

  @Option(
      names = "--devices",
      paramLabel = "FROM,TO",
      split = ",",
      description =
          "Also put it from a device of vendor FROM, and get it to one of TO, by way of host memory.")
  private List<String> devices = List.of();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "That count; one more comes before them (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(names = "--json", description = "Print one JSON object; docs/output.md has its members.")
  private boolean json;

  /** The command as the launcher makes it. */
  public StoreBenchCommand() {
    this(System.getenv());
  }

  StoreBenchCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    long sizeBytes = ByteSizes.parse(size);
    if (rounds < 1 || tensors < 1 || sizeBytes < tensors || ranks < 1 || ranks > MOST_RANKS) {
      throw new UsageException(
          "--rounds and --tensors are at least 1, --size as --tensors, and --ranks 1 to "
              + MOST_RANKS);
    }
    if (!devices.isEmpty() && devices.size() != 2) {
      throw new UsageException("--devices are two vendors, such as emu-nvidia,emu-amd");
    }
    StoreTimings timings = measure(sizeBytes / tensors);
    if (json) {
      spec.commandLine()
          .getOut()
          .println(new GsonBuilder().setPrettyPrinting().create().toJson(timings));
    } else {
      print(timings);
    }
    return ExitCode.OK;
  }

  private StoreTimings measure(long tensorBytes) {
    try (StoreBench bench = new StoreBench(tensorBytes, tensors, devices)) {
      return StoreTimings.of(
          tensorBytes * tensors,
          tensors,
          rounds,
          ranks,
          bench.run(VolumePlace.address(place), VolumePlace.token(environment), rounds, ranks));
    }
  }

  private void print(StoreTimings timings) {
    Table table = new Table("what", "ms", "GB/s", "of memcpy");
    for (StoreTimings.Row row : timings.rows()) {
      table.row(
          row.what(),
          String.format(Locale.ROOT, "%.2f", row.medianMs()),
          String.format(Locale.ROOT, "%.2f", row.gigabytesPerSecond()),
          String.format(Locale.ROOT, "%.0f %%", 100 * row.ofMemcpy()));
    }
    table.print(Console.of(spec));
  }
}
