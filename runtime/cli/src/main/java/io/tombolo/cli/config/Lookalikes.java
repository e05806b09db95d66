// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.config;

import io.tombolo.runtime.environment.Setting;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Which settings may have been meant by a name that is none: as picocli tells it of commands. */
final class Lookalikes {
  private static final String PREFIX = "TOMBOLO_";

  private Lookalikes() {}

  /** As the end of a sentence; empty if no setting looks like {@code name}. */
  static String of(String name) {
    List<String> meant =
        suggestions(name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name);
    return meant.isEmpty() ? "" : "; did you mean " + PREFIX + meant.get(0) + "?";
  }

  private static List<String> suggestions(String name) {
    CommandSpec settings = CommandSpec.create();
    for (Setting setting : Setting.values()) {
      settings.addSubcommand(setting.name(), CommandSpec.create());
    }
    try {
      new CommandLine(settings).parseArgs(name);
      return List.of(name);
    } catch (UnmatchedArgumentException e) {
      return e.getSuggestions();
    }
  }
}
