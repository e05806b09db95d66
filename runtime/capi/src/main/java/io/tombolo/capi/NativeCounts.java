// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import com.google.common.primitives.ImmutableLongArray;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.Layout;
import java.nio.LongBuffer;

/**
 * Reads the counts and offsets of a call, arrays of {@code int64_t} with a member for each rank.
 */
final class NativeCounts {
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
