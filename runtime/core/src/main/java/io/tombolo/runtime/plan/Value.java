package io.tombolo.runtime.plan;

import java.util.BitSet;

/**
 * What symbolic memory holds over a range: element {@code offset + shift} of the vector, combined
 * from {@code contributors}.
 *
 * @param contributors ranks whose element went in, each once
 * @param shift element index minus offset in this memory
 * @param divided whether the division of an average has been done
 */
record Value(BitSet contributors, long shift, boolean divided) {

  static Value input(int rank) {
    BitSet only = new BitSet();
    only.set(rank);
    return new Value(only, 0, false);
  }

  Value moved(long from, long to) {
    return new Value(contributors, shift + from - to, divided);
  }

  Value combinedWith(Value other, String where) {
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
    if (divided || other.divided) {
      throw new PlanDefect(where + " would combine an average that is already divided");
    }
    BitSet both = (BitSet) contributors.clone();
    both.or(other.contributors);
    return new Value(both, shift, false);
  }

  Value dividedBy(int divisor, int worldSize, String where) {
    if (divided || divisor != worldSize || contributors.cardinality() != worldSize) {
      throw new PlanDefect(where + " divides " + this + " by " + divisor);
    }
    return new Value(contributors, shift, true);
  }
}
