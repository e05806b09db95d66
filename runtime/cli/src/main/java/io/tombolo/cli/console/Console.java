// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.console;

import java.io.PrintWriter;
import java.io.Writer;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Output for people. On a terminal it has colours and a line of progress that renews itself;
 * elsewhere the same words come as plain lines. Thread-safe.
 */
public final class Console {
  private static final String TO_LINE_START = "\r\u001b[K";

  private final PrintWriter out;
  private final boolean terminal;
  private boolean inProgress;

  /**
   * A console on {@code out}; {@code terminal} says whether it understands colours and carriage
   * returns.
   */
  public Console(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /**
   * Where {@code command} writes: with colours if that is a terminal and nobody asked for none
   * ({@code NO_COLOR}).
   */
  public static Console of(CommandSpec command) {
    CommandLine line = command.commandLine();
    return new Console(line.getOut(), line.getColorScheme().ansi().enabled());
  }

  /** A console that says nothing. */
  public static Console silent() {
    return new Console(new PrintWriter(Writer.nullWriter()), false);
  }

  /** Whether a person is watching. */
  public boolean isTerminal() {
    return terminal;
  }

  /** An empty line. */
  public void line() {
    line("");
  }

  /** A line; {@code @|bold …|@}, {@code faint}, {@code green}, {@code red} mark up parts of it. */
  public synchronized void line(String markup) {
    clearProgress();
    out.println(styled(markup));
    out.flush();
  }

  /** On a terminal shows {@code markup} in place of the last progress; elsewhere does nothing. */
  public synchronized void progress(String markup) {
    if (terminal) {
      out.print(TO_LINE_START + styled(markup));
      out.flush();
      inProgress = true;
    }
  }

  /** {@code text} after a mark that says whether it is good news. */
  public void verdict(boolean good, String text) {
    line("  " + (good ? "@|green ✓|@ " : "@|red ✗|@ ") + text);
  }

  private void clearProgress() {
    if (inProgress) {
      out.print(TO_LINE_START);
      inProgress = false;
    }
  }

  private String styled(String markup) {
    return (terminal ? Ansi.ON : Ansi.OFF).string(markup);
  }
}
