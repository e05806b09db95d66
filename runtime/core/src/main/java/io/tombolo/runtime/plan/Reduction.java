// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.tombolo.adaptors.reduce.HostReducer;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.util.EnumSet;

/** How the ranks' elements combine. */
public sealed interface Reduction {
  /** The sum. */
  static Reduction sum() {
    return By.of(ReduceOp.SUM);
  }

  /** The product. */
  static Reduction prod() {
    return By.of(ReduceOp.PROD);
  }

  /** The least element. */
  static Reduction min() {
    return By.of(ReduceOp.MIN);
  }

  /** The greatest element. */
  static Reduction max() {
    return By.of(ReduceOp.MAX);
  }

  /** The sum, divided by the number of ranks. */
  static Reduction avg() {
    return By.of(ReduceOp.AVG);
  }

  /** The built-in operator that partial results combine by; {@code SUM} where there is none. */
  default ReduceOp inner() {
    return ReduceOp.SUM;
  }

  /** Which of the choices this is. */
  Kind kind();

  /** A name that all ranks must agree on; empty where there is none. */
  default String name() {
    return "";
  }

  /** The choices, for the wire. */
  enum Kind {
    NONE(0),
    BY(1),
    PRE_MULTIPLIED(2),
    USER_DEFINED(3);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    /** The number that stands for it on our wire. */
    public int code() {
      return code;
    }
  }

  /** Whether only host code can do it, so that no vendor's library is asked. */
  default boolean hostOnly() {
    return false;
  }

  /** Nothing combines: the call only moves elements. */
  record None() implements Reduction {
    @Override
    public Kind kind() {
      return Kind.NONE;
    }

    @Override
    public String toString() {
      return "";
    }
  }

  /** A built-in operator. An average is a sum whose last step is a division. */
  record By(ReduceOp op) implements Reduction {
    private static final ImmutableMap<ReduceOp, By> ALL =
        Maps.toMap(EnumSet.allOf(ReduceOp.class), By::new);

    /** The one for {@code op}, which every call can share. */
    public static By of(ReduceOp op) {
      return ALL.get(op);
    }

    @Override
    public Kind kind() {
      return Kind.BY;
    }

    @Override
    public ReduceOp inner() {
      return op == ReduceOp.AVG ? ReduceOp.SUM : op;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof By by && op == by.op;
    }

    @Override
    public int hashCode() {
      return op.hashCode();
    }

    @Override
    public String toString() {
      return " by " + op.text();
    }
  }

  /**
   * A sum of elements each multiplied by its rank's factor first.
   *
   * @param factor this rank's; others may have another
   */
  record PreMultiplied(double factor) implements Reduction {
    /**
     * Whether elements of {@code type} can be multiplied so: bools cannot, and integers stay so.
     */
    boolean appliesTo(DataType type) {
      return switch (type.kind()) {
        case BOOLEAN -> false;
        case WHOLE ->
            factor == Math.rint(factor) && Math.abs(factor) <= HostReducer.MAX_WHOLE_FACTOR;
        case FLOATING -> true;
      };
    }

    @Override
    public Kind kind() {
      return Kind.PRE_MULTIPLIED;
    }

    @Override
    public boolean hostOnly() {
      return true;
    }

    @Override
    public String toString() {
      return " by sum after multiplying by " + factor;
    }
  }

  /**
   * The user's own function, called on the host, in ascending rank order: it must be associative
   * but need not be commutative.
   *
   * @param name what all ranks call it
   * @param combiner this rank's copy of it
   */
  record UserDefined(String name, Combiner combiner) implements Reduction {
    @Override
    public Kind kind() {
      return Kind.USER_DEFINED;
    }

    @Override
    public boolean hostOnly() {
      return true;
    }

    @Override
    public String toString() {
      return " by " + name;
    }
  }
}
