// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.store;

import com.google.common.base.Joiner;
import com.google.gson.GsonBuilder;
import io.tombolo.base.Command;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Figures;
import io.tombolo.cli.console.Table;
import io.tombolo.store.StoreOptions;
import io.tombolo.store.TensorStore;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tombolo store ls}. */
@CommandLine.Command(
    name = "ls",
    description =
        "List the state dicts and tensors of a volume, what is being written together, and what a"
            + " holder shows.",
    footer = {
      "%nExit code: 0 when listed, 1 if the volume could not be reached, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo store ls 127.0.0.1:7777",
      "  tombolo store ls 127.0.0.1:7777 policy/ --json"
    })
public final class LsCommand implements Command {
  private final Map<String, String> environment;

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "HOST:PORT", description = "Where the volume or holder is.")
  private String place;

  @Parameters(
      index = "1",
      paramLabel = "PREFIX",
      defaultValue = "",
      description = "How the names begin (default: anyhow).")
  private String prefix;

  @Option(names = "--json", description = "Print one JSON object; docs/output.md has its members.")
  private boolean json;

  /** The command as the launcher makes it. */
  public LsCommand() {
    this(System.getenv());
  }

  LsCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    try (TensorStore store =
        TensorStore.connect(
            VolumePlace.address(place), VolumePlace.token(environment), StoreOptions.defaults())) {
      VolumeListing listing = VolumeListing.of(store, prefix);
      if (json) {
        spec.commandLine()
            .getOut()
            .println(new GsonBuilder().setPrettyPrinting().create().toJson(listing));
      } else {
        print(listing);
      }
    }
    return ExitCode.OK;
  }

  private void print(VolumeListing listing) {
    Table dicts = new Table("state dict", "versions", "tensors", "size");
    for (VolumeListing.StateDictRow row : listing.stateDicts()) {
      String versions = row.oldest() + " to " + row.newest();
      dicts.row(row.name(), versions, row.tensors(), Figures.bytes(row.sizeBytes()));
    }
    Table tensors = new Table("tensor", "type", "shape", "size", "CRC-32C");
    for (VolumeListing.TensorRow row : listing.tensors()) {
      String size = Figures.bytes(row.sizeBytes());
      tensors.row(row.name(), row.type(), row.shape(), size, row.checksum());
    }
    dicts.print(Console.of(spec));
    Console.of(spec).line();
    tensors.print(Console.of(spec));
    if (!listing.unfinished().isEmpty()) {
      Console.of(spec).line();
      unfinished(listing).print(Console.of(spec));
    }
    if (!listing.held().isEmpty()) {
      Console.of(spec).line();
      held(listing).print(Console.of(spec));
    }
  }

  private static Table held(VolumeListing listing) {
    Table table = new Table("held", "version", "holder", "run", "tensors", "size");
    for (VolumeListing.HeldRow row : listing.held()) {
      String holder = row.holder() + " of " + row.holders();
      String size = Figures.bytes(row.sizeBytes());
      table.row(row.stateDict(), row.version(), holder, row.run(), row.tensors(), size);
    }
    return table;
  }

  private static Table unfinished(VolumeListing listing) {
    Table table = new Table("unfinished", "round", "writers", "waits for", "since");
    for (VolumeListing.JointRow row : listing.unfinished()) {
      String missing = Joiner.on(", ").join(row.missing());
      String since = Figures.seconds(TimeUnit.MILLISECONDS.toNanos(row.ageMs()));
      String waits = missing + (row.writing() ? " to finish" : " to come");
      table.row(row.stateDict(), row.round(), row.writers(), waits, since);
    }
    return table;
  }
}
