// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static java.util.stream.Collectors.joining;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A fact about each cluster as one text, which is short where clusters are alike: {@code 0-2,4:
 * emu-amd; 3: emu-nvidia}.
 */
final class AlikeClusters {
  private AlikeClusters() {}

  /** What {@code facts} are, by cluster index. */
  static String text(List<?> facts) {
    Map<Object, StringBuilder> indices = new LinkedHashMap<>();
    int first = 0;
    for (int next = 1; next <= facts.size(); next++) {
      if (next == facts.size() || !facts.get(next).equals(facts.get(first))) {
        add(indices.computeIfAbsent(facts.get(first), fact -> new StringBuilder()), first, next);
        first = next;
      }
    }
    return indices.entrySet().stream()
        .map(alike -> alike.getValue() + ": " + alike.getKey())
        .collect(joining("; "));
  }

  private static void add(StringBuilder indices, int first, int end) {
    indices.append(indices.length() == 0 ? "" : ",").append(first);
    if (end - 1 > first) {
      indices.append('-').append(end - 1);
    }
  }
}
