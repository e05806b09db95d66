// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.Reduction;
import java.util.EnumSet;

/** Types and operators by C's numbers, which are those of our wire. */
final class Operators {
  /** What is not on the wire: {@code TOMBOLO_PREMUL_SUM}. */
  private static final int PRE_MULTIPLIED_SUM = 8;

  private static final ImmutableMap<Integer, DataType> TYPES =
      Maps.uniqueIndex(EnumSet.allOf(DataType.class), DataType::code);
  private static final ImmutableMap<Integer, ReduceOp> OPERATORS =
      Maps.uniqueIndex(EnumSet.allOf(ReduceOp.class), ReduceOp::code);
  private static final Reduction NONE = new Reduction.None();

  private Operators() {}

  /** The type {@code code}. */
  static DataType type(int code) {
    DataType type = TYPES.get(code);
    if (type == null) {
      throw new UsageException("there is no tombolo_type " + code);
    }
    return type;
  }

  /** The operation {@code code}, which C does not take from its caller. */
  static Collective collective(int code) {
    return Collective.ofCode(code).orElseThrow();
  }

  /** How {@code collective} combines: by operator {@code code}, or not at all. */
  static Reduction reduction(Collective collective, int code, double factor) {
    if (!collective.isReducing()) {
      return NONE;
    }
    if (code == PRE_MULTIPLIED_SUM) {
      return new Reduction.PreMultiplied(factor);
    }
    ReduceOp op = OPERATORS.get(code);
    if (op == null) {
      throw new UsageException("there is no tombolo_op " + code);
    }
    return Reduction.By.of(op);
  }
}
