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
 */
record Value(BitSet contributors, long shift, boolean scaled, boolean divided) {
  static Value given(BitSet contributors, long shift) {
    return new Value(contributors, shift, false, false);
  }

  Value moved(long from, long to) {
    return new Value(contributors, shift + from - to, scaled, divided);
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
    return new Value(both, shift, scaled, false);
  }

  /** Whether all of this comes from lower ranks than all of {@code other}. */
  boolean isBelow(Value other) {
    return contributors.length() <= other.contributors.nextSetBit(0);
  }

  Value scaledOnce(Object where) {
    if (scaled || divided || contributors.cardinality() != 1) {
      throw new PlanDefect(where + " scales " + this);
    }
    return new Value(contributors, shift, true, false);
  }

  Value dividedBy(int divisor, int worldSize, Object where) {
    if (divided || divisor != worldSize || contributors.cardinality() != worldSize) {
      throw new PlanDefect(where + " divides " + this + " by " + divisor);
    }
    return new Value(contributors, shift, scaled, true);
  }
}
