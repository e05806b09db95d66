// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What became of the cases of one library: a line that a member's process prints.
 *
 * @param run calls made
 * @param passed those with the right result
 * @param refused undeclared combinations, each refused before the library was asked
 * @param failed calls with a wrong result
 */
record Conformance(int run, int passed, int refused, int failed) {
  private static final Pattern LINE =
      Pattern.compile("run (\\d+), passed (\\d+), refused (\\d+), failed (\\d+)");

  @Override
  public String toString() {
    return "run " + run + ", passed " + passed + ", refused " + refused + ", failed " + failed;
  }

  /** What the line in {@code output} says; a process that printed none failed. */
  static Conformance of(String output) {
    Matcher line = LINE.matcher(output);
    if (!line.find()) {
      return new Conformance(0, 0, 0, 1);
    }
    return new Conformance(number(line, 1), number(line, 2), number(line, 3), number(line, 4));
  }

  /** Both together: of the members of a communicator, or of communicators of several sizes. */
  Conformance plus(Conformance other) {
    return new Conformance(
        run + other.run, passed + other.passed, refused + other.refused, failed + other.failed);
  }

  /** The head of a table, as wide as {@link #row}. */
  static String head() {
    return row("library", List.of("run", "passed", "refused", "failed"));
  }

  /** This as a row of the table. */
  String row(String library) {
    return row(library, List.of(run, passed, refused, failed));
  }

  private static String row(String library, List<?> columns) {
    StringBuilder row = new StringBuilder("%-14s".formatted(library));
    columns.forEach(column -> row.append("%9s".formatted(column)));
    return row.toString();
  }

  private static int number(Matcher line, int group) {
    return Integer.parseInt(line.group(group));
  }
}
