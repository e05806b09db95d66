// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.store.wire.LeaseFence;
import io.tombolo.store.wire.WireBounds;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Words in a volume's memory, after its tensors, by which readers who have it mapped see whether
 * what they were lent is still theirs to read. A word is used again, but never with a value that it
 * has had. Thread-safe.
 */
final class Fences {
  /** What they take: a page. */
  static final int SIZE_BYTES = WireBounds.HELD * Long.BYTES;

  private final NativeMemory memory;
  private final Deque<Long> free = new ArrayDeque<>();

  /** Those that begin at {@code offset} of the memory, a multiple of 8. */
  Fences(NativeMemory memory, long offset) {
    this.memory = memory;
    for (int word = 0; word < SIZE_BYTES; word += Long.BYTES) {
      free.add(offset + word);
    }
  }

  /** A new one, under which leases hold until {@link #drop}. */
  synchronized LeaseFence raise() {
    if (free.isEmpty()) {
      throw new ResourceException(
          "a process shows at most %s state dicts; withdraw some first"
              .formatted(SIZE_BYTES / Long.BYTES));
    }
    long offset = free.remove();
    return new LeaseFence(offset, memory.cell(offset).getAcquire());
  }

  /** Voids leases under it: readers see this before anything that is written afterwards. */
  synchronized void drop(LeaseFence fence) {
    // Volatile, as stores that bypass the caches would otherwise overtake it.
    memory.cell(fence.offset()).setVolatile(fence.value() + 1);
    free.add(fence.offset());
  }
}
