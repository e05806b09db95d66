// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import com.google.common.base.Splitter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;

/**
 * A command line that was run in this process.
 *
 * @param code its exit code
 * @param out what it wrote to standard output
 * @param err what it wrote to standard error
 */
public record Ran(int code, String out, String err) {

  /** Runs {@code line}, words separated by blanks. */
  public static Ran of(String line) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commands = Main.commandLine();
    commands.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    List<String> words = Splitter.on(' ').omitEmptyStrings().splitToList(line);
    int code = commands.execute(words.toArray(String[]::new));
    return new Ran(code, out.toString(), err.toString());
  }
}
