// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static com.google.common.base.Preconditions.checkArgument;
import static java.math.RoundingMode.CEILING;

import com.google.common.math.LongMath;
import com.google.common.primitives.ImmutableLongArray;
import java.util.stream.IntStream;

/** How the elements of a call are divided into blocks, one for each rank. */
public sealed interface Layout {
  /** Elements of {@code rank}'s block. */
  long count(int rank);

  /** Where {@code rank}'s block begins in a buffer that holds all blocks. */
  long offset(int rank);

  /** The blocks that this rank sends, by receiver. */
  default Layout sends() {
    return this;
  }

  /** The blocks that this rank receives, by sender. */
  default Layout receives() {
    return this;
  }

  /**
   * Elements that a buffer needs to hold the blocks of ranks 0 … {@code size}−1; an {@link
   * ArithmeticException} if they cannot be counted.
   */
  default long extent(int size) {
    return IntStream.range(0, size)
        .mapToLong(rank -> Math.addExact(offset(rank), count(rank)))
        .max()
        .orElse(0);
  }

  /** What all ranks must agree on about the counts, for people: a number; 0 if there is none. */
  default long agreedCount() {
    return 0;
  }

  /**
   * Elements of a block, the same on all ranks: of blocks of many sizes the average, rounded up; 0
   * if each rank has counts of its own.
   */
  default long agreedBlock() {
    return 0;
  }

  /** What all ranks must agree on about the counts, exactly. */
  default String agreedText() {
    return "";
  }

  /** Blocks of one size, in rank order, without gaps; for vectors, the size of the vector. */
  record Even(long count) implements Layout {
    /** Checks the count. */
    public Even {
      checkArgument(count >= 0, "a count is not negative: %s", count);
    }

    @Override
    public long count(int rank) {
      return count;
    }

    @Override
    public long offset(int rank) {
      return rank * count;
    }

    @Override
    public long extent(int size) {
      return Math.multiplyExact(count, (long) size);
    }

    @Override
    public long agreedCount() {
      return count;
    }

    @Override
    public long agreedBlock() {
      return count;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Even even && count == even.count;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(count);
    }

    @Override
    public String toString() {
      return Long.toString(count);
    }
  }

  /**
   * Blocks of any sizes at any places that do not overlap.
   *
   * @param counts elements of each rank's block
   * @param offsets where each begins
   */
  record Uneven(ImmutableLongArray counts, ImmutableLongArray offsets) implements Layout {
    /** Checks that the arrays fit together. */
    public Uneven {
      checkArgument(
          counts.length() == offsets.length(),
          "%s counts need as many offsets, not %s",
          counts.length(),
          offsets.length());
      for (int rank = 0; rank < counts.length(); rank++) {
        checkArgument(
            counts.get(rank) >= 0 && offsets.get(rank) >= 0,
            "rank %s: neither a count (%s) nor an offset (%s) is negative",
            rank,
            counts.get(rank),
            offsets.get(rank));
      }
    }

    /** Blocks of these sizes, one after the other. */
    public static Uneven packed(long... counts) {
      ImmutableLongArray.Builder offsets = ImmutableLongArray.builder(counts.length);
      long next = 0;
      for (long count : counts) {
        offsets.add(next);
        next = LongMath.saturatedAdd(next, count);
      }
      return new Uneven(ImmutableLongArray.copyOf(counts), offsets.build());
    }

    @Override
    public long count(int rank) {
      return counts.get(rank);
    }

    @Override
    public long offset(int rank) {
      return offsets.get(rank);
    }

    @Override
    public long agreedCount() {
      return counts.stream().sum();
    }

    @Override
    public long agreedBlock() {
      return counts.isEmpty() ? 0 : LongMath.divide(agreedCount(), counts.length(), CEILING);
    }

    @Override
    public String agreedText() {
      return counts.toString();
    }

    @Override
    public String toString() {
      return counts.length() <= 8 ? counts.toString() : counts.subArray(0, 8) + "…";
    }
  }

  /**
   * One rank's block, and nothing for the others.
   *
   * @param rank whose block it is
   * @param elements its size
   */
  record One(int rank, long elements) implements Layout {
    /** Checks the block. */
    public One {
      checkArgument(rank >= 0 && elements >= 0, "rank %s: %s elements", rank, elements);
    }

    @Override
    public long count(int other) {
      return other == rank ? elements : 0;
    }

    @Override
    public long offset(int other) {
      return 0;
    }

    @Override
    public long extent(int size) {
      return elements;
    }

    @Override
    public String toString() {
      return elements + " for rank " + rank;
    }
  }

  /**
   * What this rank alone sends and receives; other ranks have their own.
   *
   * @param sends blocks of the input, by receiver
   * @param receives blocks of the output, by sender
   */
  record Pairwise(Layout sends, Layout receives) implements Layout {
    @Override
    public long count(int rank) {
      return sends.count(rank);
    }

    @Override
    public long offset(int rank) {
      return sends.offset(rank);
    }

    @Override
    public String toString() {
      return sends + " and " + receives;
    }
  }
}
