// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Turns whatever went wrong into one line on standard error and an exit code; stack traces only
 * when asked for.
 */
final class ErrorReporter implements IExecutionExceptionHandler, IParameterExceptionHandler {

  @Override
  public int handleExecutionException(Exception error, CommandLine command, ParseResult parsed) {
    say(command, isExpected(error) ? error.getMessage() : Main.unexpected(error));
    if (Verbosity.isVerbose()) {
      error.printStackTrace(command.getErr());
    }
    return error instanceof UsageException ? ExitCode.USAGE : ExitCode.SOFTWARE;
  }

  @Override
  public int handleParseException(ParameterException error, String[] arguments) {
    CommandLine command = error.getCommandLine();
    say(command, wrong(error) + "; see '" + name(command) + " --help'");
    return ExitCode.USAGE;
  }

  /** A word where a command is wanted is more than "an unmatched argument". */
  private static String wrong(ParameterException error) {
    CommandLine command = error.getCommandLine();
    if (error instanceof UnmatchedArgumentException unmatched
        && !unmatched.isUnknownOption()
        && !command.getSubcommands().isEmpty()) {
      return "no command is called '%s'; there are %s"
          .formatted(
              unmatched.getUnmatched().get(0),
              String.join(", ", command.getSubcommands().keySet()));
    }
    return Expectation.of(error).orElseGet(error::getMessage);
  }

  private static void say(CommandLine command, String message) {
    PrintWriter err = command.getErr();
    err.println(Ansi.AUTO.string("@|bold,red " + name(command) + ":|@ ") + message);
    err.flush();
  }

  /** Standard output that is full or closed is nobody's defect. */
  private static boolean isExpected(Exception error) {
    return error instanceof TomboloException || error instanceof UncheckedIOException;
  }

  private static String name(CommandLine command) {
    return command.getCommandSpec().qualifiedName();
  }
}
