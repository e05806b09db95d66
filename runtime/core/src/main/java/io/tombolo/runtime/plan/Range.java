// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * Consecutive elements of one memory.
 *
 * @param space the memory
 * @param offset first element
 * @param length number of elements
 */
public record Range(Space space, long offset, long length) {
  /** Checks that the range is one. */
  public Range {
    checkArgument(offset >= 0 && length >= 0, "not a range: %s+%s", offset, length);
  }

  /** The element after the last. */
  public long end() {
    return offset + length;
  }

  /** Whether both have an element in common. */
  boolean overlaps(Range other) {
    return space == other.space && offset < other.end() && other.offset < end();
  }

  @Override
  public String toString() {
    return space.name().toLowerCase(java.util.Locale.ROOT) + "[" + offset + ".." + end() + ")";
  }
}
