// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableTable;
import com.google.common.collect.Table;
import com.google.common.collect.TreeBasedTable;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The matrix of accelerators that {@code nvidia-smi topo -m} and {@code xpu-smi topology -m} print:
 * how many links join which two. Rows and columns of other things are passed over.
 *
 * @param size number of accelerators
 * @param links number of links, by the accelerators' numbers; the tiles of an accelerator are added
 *     up
 */
record LinkMatrix(int size, ImmutableTable<Integer, Integer, Integer> links) {
  private static final Pattern COLOURS = Pattern.compile("\u001b\\[[0-9;]*m");

  /** {@code GPU3}, or {@code GPU 3/1}: the second tile of the fourth. */
  private static final Pattern NAME = Pattern.compile("GPU ?(\\d{1,4})(?:/\\d{1,2})?");

  private static final Pattern BREAK = Pattern.compile("[\\s|]+");
  private static final int MAX_SIZE = 1024;

  /** Reads what was printed; {@code cell} matches a cell with links, and its group their number. */
  static LinkMatrix parse(String text, Pattern cell) {
    Table<Integer, Integer, Integer> links = TreeBasedTable.create();
    List<Integer> columns = List.of();
    int size = 0;
    for (String line : COLOURS.matcher(text).replaceAll("").lines().toList()) {
      List<Integer> names = NAME.matcher(line).results().map(LinkMatrix::number).toList();
      boolean isRow =
          names.size() == 1 && !columns.isEmpty() && NAME.matcher(line.strip()).lookingAt();
      if (isRow) {
        size = Math.max(size, names.get(0) + 1);
        row(names.get(0), NAME.matcher(line).replaceFirst(""), columns, cell, links);
      } else if (columns.isEmpty()) {
        columns = names;
      }
    }
    return new LinkMatrix(size, ImmutableTable.copyOf(links));
  }

  private static Integer number(MatchResult name) {
    return Math.min(MAX_SIZE, Integer.parseInt(name.group(1)));
  }

  private static void row(
      int from,
      String cells,
      List<Integer> columns,
      Pattern cell,
      Table<Integer, Integer, Integer> links) {
    List<String> words = Splitter.on(BREAK).omitEmptyStrings().splitToList(cells);
    for (int i = 0; i < Math.min(words.size(), columns.size()); i++) {
      int to = columns.get(i);
      Matcher found = cell.matcher(words.get(i));
      if (from < to && found.matches()) {
        Integer before = links.get(from, to);
        links.put(from, to, Integer.parseInt(found.group(1)) + (before == null ? 0 : before));
      }
    }
  }
}
