// SPDX-License-Identifier: Apache-2.0
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
 * @param operands in which order clusters' partial results have been combined to it
 * @param posted whether a NIC wrote it to the device's memory, and the device may not see it yet
 */
record Value(
    BitSet contributors,
    long shift,
    boolean scaled,
    boolean divided,
    Operands operands,
    boolean posted) {
  private Value(
      BitSet contributors, long shift, boolean scaled, boolean divided, Operands operands) {
    this(contributors, shift, scaled, divided, operands, false);
  }

  static Value given(BitSet contributors, long shift) {
    return new Value(contributors, shift, false, false, new Operands.Partial(contributors));
  }

  /** What a rank must end with, in whatever order it was combined. */
  static Value finished(BitSet contributors, long shift, boolean scaled, boolean divided) {
    return new Value(contributors, shift, scaled, divided, new Operands.Partial(contributors));
  }

  /** The same elements, {@code by} places further on. */
  Value moved(long by) {
    return new Value(contributors, shift - by, scaled, divided, operands, posted);
  }

  /** The same, visible to the device or not yet. */
  Value posted(boolean now) {
    return new Value(contributors, shift, scaled, divided, operands, now);
  }

  /** Whether this is the same but for the order in which it was combined. */
  boolean means(Value other) {
    return equals(
        new Value(other.contributors, other.shift, other.scaled, other.divided, operands));
  }

  /**
   * Both combined by a vendor's call, in whatever order: what our steps combined already does not
   * go there, as then nobody knew the order of it.
   */
  Value reducedWith(Value other, Object where) {
    if (operands instanceof Operands.Combined || other.operands instanceof Operands.Combined) {
      throw new PlanDefect(where + " would combine in no known order");
    }
    BitSet both = union(other, where);
    return new Value(both, shift, scaled, false, new Operands.Partial(both));
  }

  /**
   * This as the left operand of {@code other}. The partial results in both must be in ascending
   * order of their lowest ranks, which is that of clusters.
   *
   * @param strictly whether ranks must ascend as well, as for an operator that does not commute
   */
  Value foldedWith(Value other, boolean strictly, Object where) {
    BitSet both = union(other, where);
    int reached = strictly ? contributors.length() - 1 : operands.last();
    if (reached >= other.contributors.nextSetBit(0)) {
      throw new PlanDefect(where + " combines out of order");
    }
    return new Value(both, shift, scaled, false, new Operands.Combined(operands, other.operands));
  }

  private BitSet union(Value other, Object where) {
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
    return both;
  }

  Value scaledOnce(Object where) {
    if (scaled || divided || contributors.cardinality() != 1) {
      throw new PlanDefect(where + " scales " + this);
    }
    return new Value(contributors, shift, true, false, operands);
  }

  Value dividedBy(int divisor, int worldSize, Object where) {
    if (divided || divisor != worldSize || contributors.cardinality() != worldSize) {
      throw new PlanDefect(where + " divides " + this + " by " + divisor);
    }
    return new Value(contributors, shift, scaled, true, operands);
  }
}
