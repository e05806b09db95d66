package io.tombolo.runtime.plan;

import java.util.BitSet;

/**
 * What symbolic memory holds over a range: element {@code offset + shift} of the job, combined from
 * {@code contributors}.
 *
 * @param contributors ranks whose element went in, each once
 * @param shift element number minus offset in this memory
 * @param scaled whether the multiplication of a pre-multiplied sum has been done
 * @param divided whether the division of an average has been done
 * @param folded whether clusters' partial results have been combined to it
 */
record Value(BitSet contributors, long shift, boolean scaled, boolean divided, boolean folded) {
  static Value given(BitSet contributors, long shift) {
    return new Value(contributors, shift, false, false, false);
  }

  /** The same elements, {@code by} places further on. */
  Value moved(long by) {
    return new Value(contributors, shift - by, scaled, divided, folded);
  }

  Value folded(boolean now) {
    return new Value(contributors, shift, scaled, divided, now);
  }

  Value combinedWith(Value other, Object where) {
    if (contributors.intersects(other.contributors)) {
      throw new PlanDefect(
          where
              + " would add a contribution twice: "
              + contributors
              + " and "
              + other.contributors);
    }
    if (shift != other.shift) {
      throw new PlanDefect(where + " would combine different elements");
    }
    if (divided || other.divided || scaled != other.scaled) {
      throw new PlanDefect(where + " would combine " + this + " with " + other);
    }
    BitSet both = (BitSet) contributors.clone();
    both.or(other.contributors);
    return new Value(both, shift, scaled, false, folded || other.folded);
  }

  /** Whether all of this comes from lower ranks than all of {@code other}. */
  boolean isBelow(Value other) {
    return contributors.length() <= other.contributors.nextSetBit(0);
  }

  /** Whether the lowest rank of this is below that of {@code other}. */
  boolean startsBelow(Value other) {
    return contributors.nextSetBit(0) < other.contributors.nextSetBit(0);
  }

  Value scaledOnce(Object where) {
    if (scaled || divided || contributors.cardinality() != 1) {
      throw new PlanDefect(where + " scales " + this);
    }
    return new Value(contributors, shift, true, false, folded);
  }

  Value dividedBy(int divisor, int worldSize, Object where) {
    if (divided || divisor != worldSize || contributors.cardinality() != worldSize) {
      throw new PlanDefect(where + " divides " + this + " by " + divisor);
    }
    return new Value(contributors, shift, scaled, true, folded);
  }
}
