// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.console;

import com.google.common.base.Splitter;
import com.google.common.base.Strings;
import java.util.ArrayList;
import java.util.List;

/** Text in lines that fit a terminal, each but the first behind an indent. Pure. */
public final class Wrapped {
  /** What a terminal that is not small shows. */
  public static final int COLUMNS = 100;

  private Wrapped() {}

  /**
   * {@code head}, padded to {@code indent} columns, then the words of {@code text}; a word that is
   * too long for a line has one of its own. No markup: what is put around a line later must be,
   * too.
   */
  public static List<String> lines(String head, int indent, String text) {
    List<String> lines = new ArrayList<>();
    String padded = head.length() < indent ? Strings.padEnd(head, indent, ' ') : head + " ";
    StringBuilder line = new StringBuilder(padded);
    boolean isEmpty = true;
    for (String word : Splitter.on(' ').omitEmptyStrings().split(text)) {
      if (!isEmpty && line.length() + 1 + word.length() > COLUMNS) {
        lines.add(line.toString());
        line = new StringBuilder(" ".repeat(indent));
        isEmpty = true;
      }
      line.append(isEmpty ? "" : " ").append(word);
      isEmpty = false;
    }
    lines.add(line.toString());
    return lines;
  }
}
