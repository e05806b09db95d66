package io.tombolo.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Command;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Table;
import java.util.List;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tombolo vendors}. */
@picocli.CommandLine.Command(
    name = "vendors",
    description = {
      "List the vendors that this build knows, and whether they can be used here.",
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
      "  tombolo vendors --json"
    })
public final class VendorsCommand implements Command {
  @Spec private CommandSpec spec;

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
      Table table = new Table("vendor", "libraries", "witnessed by", "run", "reductions", "here");
      rows.forEach(row -> table.row(row.cells()));
      table.print(Console.of(spec));
    }
    return ExitCode.OK;
  }
}
