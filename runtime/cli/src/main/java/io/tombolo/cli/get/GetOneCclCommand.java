// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.get;

import io.tombolo.adaptors.ccl.OneCclInstaller;
import io.tombolo.base.Command;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Figures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tombolo get oneccl}. */
@CommandLine.Command(
    name = "oneccl",
    description = {
      "Install Intel's oneCCL for CPUs, the real library behind the vendor 'intel'.",
      "",
      "It comes from the Python package index by way of pip, under Intel's licence: about 430 MB to download, of"
          + " which 270 MB stay. That needs Python 3 with pip; where there is none, the error says what to do."
    },
    footer = {
      "%nExit code: 0 when it is there, 1 if it could not be had, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo get oneccl",
      "  tombolo demo --clusters intel:2,emu-nvidia:2"
    })
public final class GetOneCclCommand implements Command {
  @Spec private CommandSpec spec;

  @Option(
      names = "--cache",
      paramLabel = "FOLDER",
      description = "Where to put it (default: where the vendor 'intel' looks for it).")
  private Path cache;

  @Override
  public Integer call() {
    Console console = Console.of(spec);
    long startNs = System.nanoTime();
    Path folder =
        OneCclInstaller.install(
            cache == null ? OneCclInstaller.defaultCache() : cache, line -> show(console, line));
    console.verdict(
        true,
        "oneCCL is in "
            + folder
            + ", "
            + Figures.bytes(sizeBytes(folder))
            + ", after "
            + Figures.seconds(System.nanoTime() - startNs));
    return ExitCode.OK;
  }

  private static void show(Console console, String line) {
    if (console.isTerminal()) {
      console.progress("  " + line);
    } else {
      console.line("  " + line);
    }
  }

  private static long sizeBytes(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read what was installed in " + folder, e);
    }
  }
}
