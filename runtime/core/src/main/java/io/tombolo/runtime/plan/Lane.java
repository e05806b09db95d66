package io.tombolo.runtime.plan;

/** A stretch of elements, from {@code start} up to {@code end}. */
record Lane(long start, long end) {
  long length() {
    return end - start;
  }

  boolean isEmpty() {
    return end <= start;
  }

  /** The part of this lane that is number {@code index} of {@code pieces}. */
  Lane piece(int index, int pieces) {
    return new Lane(start + length() * index / pieces, start + length() * (index + 1) / pieces);
  }

  /** What both have in common; empty if that is nothing. */
  Lane meet(Lane other) {
    long from = Math.max(start, other.start);
    return new Lane(from, Math.max(from, Math.min(end, other.end)));
  }

  /** A lane of nothing at the start of this one. */
  Lane nothing() {
    return new Lane(start, start);
  }
}
