// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Text in columns that are as wide as their widest cell; paint does not count. */
final class Columns {
  private record Cell(String text, UnaryOperator<String> paint) {}

  private final String indent;
  private final String gap;
  private final List<List<Cell>> rows = new ArrayList<>();

  Columns(String indent) {
    this(indent, "  ");
  }

  Columns(String indent, String gap) {
    this.indent = indent;
    this.gap = gap;
  }

  Columns row() {
    rows.add(new ArrayList<>());
    return this;
  }

  Columns cell(String text) {
    return cell(text, UnaryOperator.identity());
  }

  Columns cell(String text, UnaryOperator<String> paint) {
    rows.get(rows.size() - 1).add(new Cell(text, paint));
    return this;
  }

  void appendTo(StringBuilder out) {
    List<Integer> widths = widths();
    for (List<Cell> row : rows) {
      StringBuilder line = new StringBuilder(indent);
      for (int column = 0; column < row.size(); column++) {
        Cell cell = row.get(column);
        line.append(cell.paint().apply(cell.text()));
        line.append(" ".repeat(widths.get(column) - cell.text().length()));
        line.append(gap);
      }
      out.append(line.toString().stripTrailing()).append('\n');
    }
  }

  private List<Integer> widths() {
    List<Integer> widths = new ArrayList<>();
    for (List<Cell> row : rows) {
      for (int column = 0; column < row.size(); column++) {
        int width = row.get(column).text().length();
        if (column == widths.size()) {
          widths.add(width);
        } else {
          widths.set(column, Math.max(widths.get(column), width));
        }
      }
    }
    return widths;
  }
}
