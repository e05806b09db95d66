// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Cuts what a call moves into what moves in one turn of its connection, so that calls of other
 * threads have theirs in between, however much it is. Pure.
 */
final class Turns {
  /**
   * So many bytes, or less than one part more, move in a turn. Networks of 10 MB/s bring them
   * within the standard timeout of who waits, and for fast ones the round trip in between is short.
   */
  static final long MOST_BYTES = 256L << 20;

  /** Each part is some work, however small it is. */
  static final int MOST_PARTS = 1 << 12;

  private Turns() {}

  /** All {@code parts}, in their order, of so many bytes each; one turn even if there are none. */
  static <T> ImmutableList<ImmutableList<T>> of(List<T> parts, ToLongFunction<T> sizeBytes) {
    ImmutableList.Builder<ImmutableList<T>> turns = ImmutableList.builder();
    List<T> turn = new ArrayList<>();
    long bytes = 0;
    for (T part : parts) {
      if (bytes >= MOST_BYTES || turn.size() == MOST_PARTS) {
        turns.add(ImmutableList.copyOf(turn));
        turn.clear();
        bytes = 0;
      }
      turn.add(part);
      bytes += sizeBytes.applyAsLong(part);
    }
    return turns.add(ImmutableList.copyOf(turn)).build();
  }
}
