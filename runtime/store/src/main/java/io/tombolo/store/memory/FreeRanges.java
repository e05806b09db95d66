// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.memory;

import static com.google.common.base.Preconditions.checkArgument;

import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Which parts of a block of memory nobody uses: the first that is large enough is lent, so that
 * what was used before is used again, and neighbours that come back become one. Pure; for one
 * thread.
 */
public final class FreeRanges {
  /** Every range begins at a multiple of this: a cache line. */
  public static final long ALIGNMENT = 64;

  private final NavigableMap<Long, Long> lengths = new TreeMap<>();
  private final long capacity;
  private long freeBytes;

  /** All of a block of {@code capacity} bytes, of which the last few may be too few for a range. */
  public FreeRanges(long capacity) {
    checkArgument(capacity >= ALIGNMENT, "%s bytes are less than one range", capacity);
    this.capacity = capacity - capacity % ALIGNMENT;
    this.freeBytes = this.capacity;
    lengths.put(0L, this.capacity);
  }

  /** Where {@code sizeBytes} can be put from now on; empty if there is no gap of that size. */
  public OptionalLong take(long sizeBytes) {
    checkArgument(sizeBytes >= 0, "%s bytes", sizeBytes);
    if (sizeBytes > capacity) {
      return OptionalLong.empty();
    }
    long length = rounded(sizeBytes);
    if (length == 0) {
      return OptionalLong.of(0);
    }
    for (Map.Entry<Long, Long> gap : lengths.entrySet()) {
      if (gap.getValue() >= length) {
        long offset = gap.getKey();
        cut(offset, gap.getValue(), length);
        return OptionalLong.of(offset);
      }
    }
    return OptionalLong.empty();
  }

  /** Takes back what {@link #take} gave for {@code sizeBytes} at {@code offset}. */
  public void giveBack(long offset, long sizeBytes) {
    long length = rounded(sizeBytes);
    if (length == 0) {
      return;
    }
    Map.Entry<Long, Long> before = lengths.lowerEntry(offset);
    Map.Entry<Long, Long> after = lengths.ceilingEntry(offset);
    checkArgument(
        offset >= 0
            && offset <= capacity - length
            && (before == null || before.getKey() + before.getValue() <= offset)
            && (after == null || offset + length <= after.getKey()),
        "[%s, +%s) is not in use",
        offset,
        length);
    freeBytes += length;
    long from = offset;
    long to = offset + length;
    if (after != null && after.getKey() == to) {
      to += lengths.remove(after.getKey());
    }
    if (before != null && before.getKey() + before.getValue() == from) {
      from = before.getKey();
    }
    lengths.put(from, to - from);
  }

  /** Bytes that nobody uses. */
  public long freeBytes() {
    return freeBytes;
  }

  /** Bytes of the largest gap. */
  public long largestGap() {
    return lengths.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  /** Bytes in all. */
  public long capacity() {
    return capacity;
  }

  private void cut(long offset, long gap, long length) {
    lengths.remove(offset);
    freeBytes -= length;
    if (gap > length) {
      lengths.put(offset + length, gap - length);
    }
  }

  private static long rounded(long sizeBytes) {
    return (sizeBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
}
