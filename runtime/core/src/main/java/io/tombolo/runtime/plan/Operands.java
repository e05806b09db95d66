// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import java.util.BitSet;

/**
 * In which order a value was combined. Rounded additions give the same bits if they are the same
 * tree; a vendor's call is a leaf, for its order is its own business.
 */
sealed interface Operands {
  /** The lowest rank of the last leaf. */
  int last();

  /** What no step of ours combined. */
  record Partial(BitSet contributors) implements Operands {
    @Override
    public int last() {
      return contributors.nextSetBit(0);
    }

    @Override
    public String toString() {
      return contributors.toString();
    }
  }

  /** {@code left} and {@code right}, combined by one step. */
  record Combined(Operands left, Operands right) implements Operands {
    @Override
    public int last() {
      return right.last();
    }

    @Override
    public String toString() {
      return "(" + left + " + " + right + ")";
    }
  }
}
