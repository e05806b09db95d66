// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.store;

import java.util.List;
import java.util.Map;

/**
 * What {@code store bench} has measured, as JSON has it: the names of its members stay.
 *
 * @param sizeBytes that each row moves
 * @param tensors among which they are shared out
 * @param rounds that medians are taken over
 * @param ranks that put and get together, in rows that say so
 * @param rows what was timed, a plain copy first
 */
record StoreTimings(long sizeBytes, int tensors, int rounds, int ranks, List<Row> rows) {
  /**
   * One of them.
   *
   * @param what was timed: {@code get, shared memory}
   * @param medianMs its median
   * @param gigabytesPerSecond moved in that time
   * @param ofMemcpy as a part of what a plain copy moved
   */
  record Row(String what, double medianMs, double gigabytesPerSecond, double ofMemcpy) {}

  /** From medians in nanoseconds. */
  static StoreTimings of(
      long sizeBytes, int tensors, int rounds, int ranks, Map<String, Double> mediansNs) {
    double copyNs = mediansNs.get(StoreBench.MEMCPY);
    return new StoreTimings(
        sizeBytes,
        tensors,
        rounds,
        ranks,
        mediansNs.entrySet().stream()
            .map(
                each ->
                    new Row(
                        each.getKey(),
                        each.getValue() / 1e6,
                        sizeBytes / each.getValue(),
                        copyNs / each.getValue()))
            .toList());
  }
}
