// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.env;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Command;
import io.tombolo.base.NativeEnvironment;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tombolo env}. */
@CommandLine.Command(
    name = "env",
    description = {
      "Show what the launcher said of this process, under the names that programs look for, and where each value is"
          + " from; or run a program with these variables.",
      "",
      "Understands mpirun, srun, torchrun and others. Names are torch's (RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, …)."
          + " With --vendor also what that vendor's libraries read. The program takes this process's place: its number,"
          + " its open files, its exit code."
    },
    footer = {
      "%nExit code: 0, or COMMAND's own; 1 if it cannot be run, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo env --vendor nvidia",
      "  mpirun -n 4 tombolo env --json",
      "  mpirun -n 4 tombolo env -- python3 train.py",
      "  mpirun -n 8 tombolo env --vendor gaudi -- python3 train.py   # sets HLS_MODULE_ID"
    })
public final class EnvCommand implements Command {
  @Spec private CommandSpec spec;

  @Option(
      names = "--vendor",
      paramLabel = "VENDOR",
      defaultValue = "${env:TOMBOLO_VENDOR}",
      description = "Also what this vendor's libraries read (default: $$TOMBOLO_VENDOR).")
  private String vendor;

  @Option(names = "--json", description = "Print a JSON list of {name, value, origin}.")
  private boolean json;

  @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "Behind --: what to run.")
  private List<String> command = List.of();

  @Override
  public Integer call() {
    ImmutableList<Exported> variables = variables(System.getenv());
    if (!command.isEmpty()) {
      Map<String, String> exported = new LinkedHashMap<>();
      variables.forEach(each -> exported.put(each.name(), each.value()));
      NativeEnvironment.export(ImmutableMap.copyOf(exported));
      NativeEnvironment.exec(command); // does not come back
    }
    if (json) {
      Gson gson = new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
      spec.commandLine().getOut().println(gson.toJson(variables));
    } else {
      print(variables);
    }
    return ExitCode.OK;
  }

  private ImmutableList<Exported> variables(Map<String, String> present) {
    ImmutableList.Builder<Exported> variables = ImmutableList.builder();
    variables.addAll(ChildEnvironment.launched(present));
    if (vendor != null && !vendor.isEmpty()) {
      variables.add(new Exported("TOMBOLO_VENDOR", vendor, "--vendor or TOMBOLO_VENDOR"));
      variables.addAll(
          vendor.equals(ChildEnvironment.GAUDI)
              ? ChildEnvironment.gaudi(present)
              : ChildEnvironment.of(Vendors.named(vendor), present));
    }
    return variables.build();
  }

  private void print(List<Exported> variables) {
    Console console = Console.of(spec);
    if (variables.isEmpty()) {
      console.line("  nobody launched this process; --vendor shows what a vendor's libraries read");
      return;
    }
    Table table = new Table("variable", "value", "from");
    variables.forEach(each -> table.row(each.name(), each.value(), each.origin()));
    table.print(console);
  }
}
