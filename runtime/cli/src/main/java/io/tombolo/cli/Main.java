// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import io.tombolo.base.Command;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.cli.console.StandardOutput;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** The program behind {@code ./tombolo}: finds the commands and runs the one that was asked for. */
public final class Main {
  /** What the simplest command has open for a moment. */
  private static final int LEAST_FILES = 4;

  private Main() {}

  /** Runs a command and exits with its code: 0 done, 1 a check or the job failed, 2 wrong usage. */
  public static void main(String[] arguments) {
    // Output is read by people and programs of any language: digits and points are ASCII.
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
    System.setOut(StandardOutput.open());
    System.setErr(utf8(FileDescriptor.err));
    checkFiles();
    Verbosity.apply(List.of(arguments));
    System.exit(run(commandLine(), arguments));
  }

  /** Without enough of them Java finds no class, and prints which. */
  private static void checkFiles() {
    try {
      OpenFiles.require("this program", LEAST_FILES);
    } catch (ResourceException e) {
      System.err.println("tombolo: " + e.getMessage());
      System.exit(ExitCode.SOFTWARE);
    }
  }

  /** The parser's own output, such as the help, can be lost too. */
  static int run(CommandLine line, String... arguments) {
    try {
      int code = line.execute(arguments);
      line.getOut().flush();
      return code;
    } catch (UncheckedIOException e) {
      line.getErr().println(e.getMessage());
      return ExitCode.SOFTWARE;
    }
  }

  /** What to say of an error that is none of Tombolo's own. */
  static String unexpected(Throwable error) {
    return OpenFiles.ranOut(error)
        ? OpenFiles.noneLeft("cannot go on (" + innermost(error) + ")").getMessage()
        : "this is a defect of the program: "
            + error
            + " (run again with "
            + Verbosity.OPTION
            + " for more)";
  }

  private static Throwable innermost(Throwable error) {
    return error.getCause() == null ? error : innermost(error.getCause());
  }

  /** The command line with every command that is on the path. */
  static CommandLine commandLine() {
    RootCommand root = new RootCommand();
    CommandLine line = new CommandLine(root);
    root.describe();
    ServiceLoader.load(Command.class).stream()
        .map(provider -> new CommandLine(provider.get()))
        .sorted(Comparator.comparing(CommandLine::getCommandName))
        .forEach(command -> line.addSubcommand(command));
    return line.setExecutionExceptionHandler(new ErrorReporter())
        .setParameterExceptionHandler(new ErrorReporter())
        .setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8))
        .setCaseInsensitiveEnumValuesAllowed(true);
  }

  /** Messages hold more than ASCII, whatever the locale says. */
  private static PrintStream utf8(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }
}
