// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.common.collect.ImmutableList;
import com.google.gson.Gson;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.work.CallOptions;

/**
 * What to measure; the launcher hands it on to its ranks as JSON.
 *
 * @param operation the name of the operation, one of {@link Operations#names}
 * @param minBytes first size
 * @param maxBytes last size
 * @param factor from one size to the next
 * @param iterations timed calls per size
 * @param warmup calls before them; null for as many as it takes for their median to settle
 * @param type type of the elements
 * @param op how they combine
 * @param inject damage on purpose, or null
 * @param json whether the rows are printed as JSON
 * @param breakdown whether each row tells how long calls are in each stage
 * @param blocking whether calls return when their operation has ended
 * @param timeline where rank 0 writes the {@link TimelineFile}, or null
 */
record Settings(
    String operation,
    long minBytes,
    long maxBytes,
    int factor,
    int iterations,
    Integer warmup,
    DataType type,
    ReduceOp op,
    String inject,
    boolean json,
    boolean breakdown,
    boolean blocking,
    String timeline) {

  /**
   * Checks everything that can be checked without a job; a {@link UsageException} says what is
   * wrong.
   */
  Settings {
    SizeRange.of(minBytes, maxBytes, factor);
    Injection.parse(inject);
    Elements.exactLimit(type);
    if (minBytes > 0 && minBytes < type.sizeBytes()) {
      throw new UsageException(
          "%d bytes hold no element of %s, which has %d: begin with --begin %d"
              .formatted(minBytes, type.text(), type.sizeBytes(), type.sizeBytes()));
    }
    if (iterations < 1 || (warmup != null && warmup < 0)) {
      throw new UsageException(
          "at least 1 timed call and no fewer than 0 before it; got -n "
              + iterations
              + " -w "
              + warmup);
    }
  }

  /** How calls are made. */
  CallOptions options() {
    boolean timed = breakdown || timeline != null;
    CallOptions options = timed ? CallOptions.TIMED : CallOptions.STANDARD;
    return blocking ? options.withBlocking() : options;
  }

  /** What elements of {@code measured} combine by: sum where none do. */
  ReduceOp opOf(Operation measured) {
    return measured.isReducing() ? op : ReduceOp.SUM;
  }

  /** Sizes of the blocks of {@code measured}, in order, each once; in elements. */
  ImmutableList<Long> blocks(Operation measured) {
    return SizeRange.of(minBytes, maxBytes, factor).stream()
        .map(size -> measured.block(size / type.sizeBytes()))
        .distinct()
        .collect(ImmutableList.toImmutableList());
  }

  String toJson() {
    return new Gson().toJson(this);
  }

  static Settings fromJson(String json) {
    return new Gson().fromJson(json, Settings.class);
  }
}
