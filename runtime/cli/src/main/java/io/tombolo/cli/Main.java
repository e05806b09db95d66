package io.tombolo.cli;

import io.tombolo.base.Command;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import picocli.CommandLine;

/** The program behind {@code ./tombolo}: finds the commands and runs the one that was asked for. */
public final class Main {
  private Main() {}

  /** Runs a command and exits with its code: 0 done, 1 a check or the job failed, 2 wrong usage. */
  public static void main(String[] arguments) {
    System.setOut(utf8(FileDescriptor.out));
    System.setErr(utf8(FileDescriptor.err));
    Verbosity.apply(List.of(arguments));
    System.exit(commandLine().execute(arguments));
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
    return line.setExecutionExceptionHandler(new Failures())
        .setParameterExceptionHandler(new Failures())
        .setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8))
        .setCaseInsensitiveEnumValuesAllowed(true);
  }

  /** Results hold more than ASCII, whatever the locale says. */
  private static PrintStream utf8(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }
}
