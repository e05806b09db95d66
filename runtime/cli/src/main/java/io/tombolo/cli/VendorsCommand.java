package io.tombolo.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Availability;
import io.tombolo.base.Command;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Table;
import java.util.List;
import java.util.Locale;
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
      "the libraries were really run by this project."
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
          "Print a JSON list of {name, provenance, witness, ran, available, version, cause, fix}.")
  private boolean json;

  /** One vendor, as JSON shows it; what does not apply is left out. */
  private record Row(
      String name,
      String provenance,
      String witness,
      String ran,
      boolean available,
      String version,
      String cause,
      String fix) {
    static Row of(Vendor vendor) {
      String provenance = vendor.provenance().name().toLowerCase(Locale.ROOT);
      Availability availability = vendor.availability();
      if (availability instanceof Availability.Missing missing) {
        return new Row(
            vendor.name(),
            provenance,
            vendor.witness(),
            vendor.ran(),
            false,
            null,
            missing.cause(),
            missing.fix());
      }
      String version = ((Availability.Available) availability).version();
      return new Row(
          vendor.name(), provenance, vendor.witness(), vendor.ran(), true, version, null, null);
    }

    String state() {
      return available ? "@|green available|@: " + version : "missing: " + cause + "; " + fix;
    }
  }

  @Override
  public Integer call() {
    List<Row> rows = Vendors.all().stream().map(Row::of).toList();
    if (json) {
      Gson gson = new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
      spec.commandLine().getOut().println(gson.toJson(rows));
    } else {
      Table table = new Table("vendor", "libraries", "witnessed by", "run", "here");
      rows.forEach(
          row -> table.row(row.name(), row.provenance(), row.witness(), row.ran(), row.state()));
      table.print(Console.of(spec));
    }
    return ExitCode.OK;
  }
}
