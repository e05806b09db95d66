// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.config;

import com.google.common.collect.ImmutableList;
import com.google.gson.GsonBuilder;
import io.tombolo.base.Command;
import io.tombolo.base.errors.UsageException;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Table;
import io.tombolo.runtime.environment.Configuration;
import io.tombolo.runtime.environment.Setting;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tombolo config}. */
@CommandLine.Command(
    name = "config",
    description = {
      "Show the settings that a rank started here would have: each variable, its value, and where that is from.",
      "",
      "With names, as 'fabrics' or TOMBOLO_FABRICS, also what these settings mean. Names that are no settings have no"
          + " effect, and those in the environment are told with what may have been meant."
    },
    footer = {
      "%nExit code: 0; 1 if a variable in the environment looks like a setting and is none, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo config",
      "  tombolo config fabrics segment_bytes",
      "  mpirun -n 4 tombolo config --json"
    })
public final class ConfigCommand implements Command {
  private final Map<String, String> environment;

  @Spec private CommandSpec spec;

  @Option(
      names = "--json",
      description = "Print a JSON list of {name, value, origin, common, meaning}.")
  private boolean json;

  @Parameters(paramLabel = "NAME", arity = "0..*", description = "Only these settings.")
  private List<String> names = List.of();

  /** The command as the launcher makes it. */
  public ConfigCommand() {
    this(System.getenv());
  }

  ConfigCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    ImmutableList<Setting> wanted =
        names.stream().map(ConfigCommand::setting).collect(ImmutableList.toImmutableList());
    Configuration configuration = Configuration.of(environment);
    List<ConfigRow> rows =
        configuration.values().stream()
            .filter(value -> wanted.isEmpty() || wanted.contains(value.setting()))
            .map(ConfigRow::of)
            .toList();
    if (json) {
      spec.commandLine()
          .getOut()
          .println(
              new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(rows));
    } else {
      print(rows);
    }
    configuration.unknown().forEach(this::warn);
    return configuration.unknown().isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private static Setting setting(String name) {
    String upper = name.toUpperCase(Locale.ROOT);
    return Arrays.stream(Setting.values())
        .filter(each -> upper.equals(each.name()) || upper.equals(each.variable()))
        .findFirst()
        .orElseThrow(
            () -> new UsageException("no setting is called '" + name + "'" + Lookalikes.of(upper)));
  }

  private void print(List<ConfigRow> rows) {
    Console console = Console.of(spec);
    Table table = new Table("variable", "value", "from");
    rows.forEach(each -> table.row(each.name(), each.value(), each.origin()));
    table.print(console);
    if (!names.isEmpty()) {
      rows.forEach(
          each -> {
            console.line();
            console.line("  " + each.name() + ": " + each.meaning());
          });
    }
  }

  private void warn(String unknown) {
    spec.commandLine()
        .getErr()
        .println(unknown + " is no setting, and has no effect" + Lookalikes.of(unknown));
  }
}
