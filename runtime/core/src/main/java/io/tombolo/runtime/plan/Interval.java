// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

/** A stretch of elements, from {@code start} up to {@code end}. */
record Interval(long start, long end) {
  long length() {
    return end - start;
  }

  boolean isEmpty() {
    return end <= start;
  }

  /** Written out for the same reason as {@link CollectiveCall#equals}. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Interval interval && start == interval.start && end == interval.end;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(start) + Long.hashCode(end);
  }

  /** The part of this lane that is number {@code index} of {@code pieces}. */
  Interval piece(int index, int pieces) {
    return new Interval(start + length() * index / pieces, start + length() * (index + 1) / pieces);
  }

  /** What both have in common; empty if that is nothing. */
  Interval meet(Interval other) {
    long from = Math.max(start, other.start);
    return new Interval(from, Math.max(from, Math.min(end, other.end)));
  }

  /** A lane of nothing at the start of this one. */
  Interval nothing() {
    return new Interval(start, start);
  }
}
