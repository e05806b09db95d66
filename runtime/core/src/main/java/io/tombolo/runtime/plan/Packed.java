// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Some ranks' blocks of a window laid end to end in rank order, as if they were one vector for a
 * cluster to share out.
 */
final class Packed {
  private final BlockWindow window;
  private final int[] ranks;
  private final long[] starts;

  /** The blocks of the ranks below {@code size} that {@code chosen} takes, but for empty ones. */
  Packed(BlockWindow window, int size, IntPredicate chosen) {
    this.window = window;
    this.ranks =
        IntStream.range(0, size).filter(chosen).filter(rank -> window.length(rank) > 0).toArray();
    this.starts = new long[ranks.length + 1];
    for (int i = 0; i < ranks.length; i++) {
      starts[i + 1] = starts[i] + window.length(ranks[i]);
    }
  }

  /**
   * Part of a block.
   *
   * @param rank whose block
   * @param lane its place in the packed vector
   * @param at its place in a buffer that holds all blocks
   */
  record Part(int rank, Interval lane, long at) {}

  Interval all() {
    return new Interval(0, starts[ranks.length]);
  }

  /** The place of {@code rank}'s block; empty if it has none here. */
  Interval place(int rank) {
    int index = Arrays.binarySearch(ranks, rank);
    return index < 0 ? new Interval(0, 0) : new Interval(starts[index], starts[index + 1]);
  }

  /** The blocks, or parts of blocks, that lie in {@code lane}. */
  ImmutableList<Part> parts(Interval lane) {
    ImmutableList.Builder<Part> parts = ImmutableList.builder();
    for (int i = first(lane.start()); i < ranks.length && starts[i] < lane.end(); i++) {
      Interval block = new Interval(starts[i], starts[i + 1]);
      Interval part = block.meet(lane);
      if (!part.isEmpty()) {
        parts.add(new Part(ranks[i], part, window.at(ranks[i]) + part.start() - block.start()));
      }
    }
    return parts.build();
  }

  /** Whether the blocks lie end to end in the buffer, too, so that nothing needs packing. */
  boolean isContiguous() {
    return IntStream.range(1, ranks.length)
        .allMatch(i -> window.at(ranks[i]) - window.at(ranks[0]) == starts[i]);
  }

  /** Where the first block begins in the buffer. */
  long at() {
    return ranks.length == 0 ? 0 : window.at(ranks[0]);
  }

  /** Whether all blocks have one size, and none is missing of {@code wanted}. */
  boolean isEven(int wanted) {
    return ranks.length == wanted
        && IntStream.of(ranks).allMatch(rank -> window.length(rank) == window.length(ranks[0]));
  }

  private int first(long offset) {
    int index = Arrays.binarySearch(starts, offset);
    return index >= 0 ? index : -index - 2;
  }
}
