// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Command;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Wrapped;
import java.util.List;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tombolo vendors}. */
@picocli.CommandLine.Command(
    name = "vendors",
    description = {
      "List the vendors that can be used here, and name the others that this build knows.",
      "",
      "A vendor is 'real' (its own libraries), 'emulated' (our stand-ins with its interface) or"
          + " 'own'.",
      "Names and numbers are 'witnessed': compared with an independent source by a test; 'run' says"
          + " where",
      "the libraries were really run by this project. 'reductions' says what combines elements:"
          + " the",
      "vendor's device, with the library that compiles its kernels, or the host engine."
    },
    footer = {
      "%nExit code: 0 when shown, whether or not any vendor is available.",
      "%nExamples:",
      "  tombolo vendors",
      "  tombolo vendors --all",
      "  tombolo vendors --json"
    })
public final class VendorsCommand implements Command {
  private static final int FOLDED_INDENT = 13;

  @Spec private CommandSpec spec;

  @Option(
      names = "--all",
      description = "Show also those that cannot be used here: what is missing, and what helps.")
  private boolean all;

  @Option(
      names = "--json",
      description =
          "Print a JSON list of {name, provenance, witness, ran, compiler, available, version,"
              + " reductions, cause, fix}.")
  private boolean json;

  @Override
  public Integer call() {
    List<VendorRow> rows = Vendors.all().stream().map(VendorRow::of).toList();
    if (json) {
      Gson gson = new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
      spec.commandLine().getOut().println(gson.toJson(rows));
    } else {
      print(rows, Console.of(spec));
    }
    return ExitCode.OK;
  }

  private void print(List<VendorRow> rows, Console console) {
    rows.stream()
        .filter(row -> all || row.available())
        .forEach(row -> row.lines().forEach(console::line));
    List<String> folded =
        rows.stream().filter(row -> !row.available()).map(VendorRow::name).toList();
    if (!all && !folded.isEmpty()) {
      String text = String.join(", ", folded) + " ('tombolo vendors --all' says why)";
      Wrapped.lines("  not here:", FOLDED_INDENT, text).forEach(console::line);
    }
  }
}
