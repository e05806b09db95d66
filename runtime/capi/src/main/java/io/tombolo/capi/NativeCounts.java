// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import com.google.common.primitives.ImmutableLongArray;
import com.google.common.primitives.Ints;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.Layout;
import java.nio.LongBuffer;
import java.util.List;

/**
 * Reads the counts and offsets of a call, arrays of {@code int64_t} with a member for each rank;
 * and lists of ranks.
 */
final class NativeCounts {
  /** More than any job has; what an array of them takes is a number. */
  private static final int MAX_RANKS = 1 << 24;

  private NativeCounts() {}

  /**
   * The blocks of {@code size} ranks.
   *
   * @param counts address of the counts
   * @param offsets address of the offsets; 0: one block after the other
   */
  static Layout.Uneven blocks(long counts, long offsets, int size) {
    long[] elements = read(counts, size);
    return offsets == 0
        ? Layout.Uneven.packed(elements)
        : new Layout.Uneven(
            ImmutableLongArray.copyOf(elements), ImmutableLongArray.copyOf(read(offsets, size)));
  }

  /** {@code count} ranks, an array of {@code int32_t} at {@code address}. */
  static List<Integer> ranks(long address, int count) {
    if (count > MAX_RANKS) {
      throw new UsageException(count + " ranks are more than a job can have");
    }
    int[] ranks = new int[count];
    NativeMemory.viewOf(address, count * Integer.BYTES).asIntBuffer().get(ranks);
    return Ints.asList(ranks);
  }

  private static long[] read(long address, int size) {
    if (address == 0) {
      throw new UsageException("the counts are NULL; give one for each rank");
    }
    long[] numbers = new long[size];
    LongBuffer memory = NativeMemory.viewOf(address, size * Long.BYTES).asLongBuffer();
    memory.get(numbers);
    return numbers;
  }
}
