// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import io.tombolo.base.Command;
import io.tombolo.cli.console.Console;
import io.tombolo.runtime.environment.Build;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tombolo version}. */
@picocli.CommandLine.Command(
    name = "version",
    description = "Show the versions of Tombolo, of the JDK and of the system.",
    footer = {"%nExit code: 0 when shown.", "%nExamples:", "  tombolo version"})
public final class VersionCommand implements Command {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    Console console = Console.of(spec);
    console.line("tombolo " + Build.version());
    console.line(
        "java    "
            + System.getProperty("java.runtime.version")
            + " ("
            + property("java.vendor")
            + ")");
    console.line(
        "system  "
            + property("os.name")
            + " "
            + property("os.version")
            + ", "
            + property("os.arch"));
    return ExitCode.OK;
  }

  private static String property(String name) {
    return System.getProperty(name);
  }
}
