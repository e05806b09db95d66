// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.console;

import com.google.common.base.Strings;
import java.util.ArrayList;
import java.util.List;

/** Columns that are as wide as their widest cell; the last one is not padded. */
public final class Table {
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();

  /** A table with these column titles. */
  public Table(String... titles) {
    rows.add(List.of(titles));
  }

  /** Adds a row of as many cells as there are titles. */
  public Table row(Object... cells) {
    rows.add(List.of(cells).stream().map(Object::toString).toList());
    return this;
  }

  /** Prints the titles faintly, then the rows. */
  public void print(Console console) {
    console.line("  @|faint " + text(rows.get(0)) + "|@");
    rows.subList(1, rows.size()).forEach(row -> console.line("  " + text(row)));
  }

  private String text(List<String> row) {
    StringBuilder text = new StringBuilder();
    for (int column = 0; column < row.size() - 1; column++) {
      text.append(Strings.padEnd(row.get(column), width(column), ' ')).append(GAP);
    }
    return text.append(row.get(row.size() - 1)).toString();
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }
}
