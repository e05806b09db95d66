// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The tables in {@code src/main/witness}: numbers entered from the vendors' headers, apart from any
 * row.
 */
final class WitnessTable {
  private static final Path FOLDER = Path.of("src", "main", "witness");

  private WitnessTable() {}

  /** Whether there is a table called {@code name}. */
  static boolean exists(String name) {
    return Files.exists(FOLDER.resolve(name + ".tsv"));
  }

  /** Name → value of the table called {@code name}. */
  static ImmutableMap<String, Long> of(String name) {
    ImmutableMap.Builder<String, Long> table = ImmutableMap.builder();
    try {
      for (String line : Files.readAllLines(FOLDER.resolve(name + ".tsv"), UTF_8)) {
        if (!line.isEmpty() && !line.startsWith("#")) {
          List<String> cells = Splitter.on('\t').splitToList(line);
          table.put(cells.get(0), Long.decode(cells.get(1)));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return table.buildOrThrow();
  }
}
