// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import io.tombolo.adaptors.reduce.HostReducer;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Combiner;
import io.tombolo.runtime.plan.Range;
import io.tombolo.runtime.plan.Reduction;

/**
 * Does slices of arithmetic on the stage. Each element depends on its own operands alone, so the
 * bits are the same however a step is cut, and whoever does which slice. Thread-safe.
 */
final class HostArithmetic {
  private final HostReducer reducer = HostReducer.best();

  /** What {@code action} writes, without the list that {@link Action#writes} makes of it. */
  static Range result(Action action) {
    if (action instanceof Action.Combine combine) {
      return combine.into();
    }
    return action instanceof Action.Divide divide
        ? divide.range()
        : ((Action.Scale) action).range();
  }

  /** Whether {@code action} calls a function of the user's, which may be called once at a time. */
  static boolean isUserDefined(Action action) {
    return action instanceof Action.Combine combine
        && combine.reduction().kind() == Reduction.Kind.USER_DEFINED;
  }

  /** Does {@code count} elements of {@code action} from element {@code first} on. */
  void compute(Action action, Binding memory, long first, long count) {
    DataType type = memory.type();
    long offset = first * type.sizeBytes();
    if (action instanceof Action.Combine combine) {
      combine(
          combine.reduction(),
          type,
          memory.address(combine.into()) + offset,
          memory.address(combine.left()) + offset,
          memory.address(combine.right()) + offset,
          count);
    } else if (action instanceof Action.Divide divide) {
      long address = memory.address(divide.range()) + offset;
      reducer.divide(type, address, address, count, divide.divisor());
    } else if (action instanceof Action.Scale scale) {
      long address = memory.address(scale.range()) + offset;
      reducer.scale(type, address, address, count, scale.factor());
    }
  }

  private void combine(
      Reduction reduction, DataType type, long into, long left, long right, long count) {
    if (reduction instanceof Reduction.UserDefined user) {
      call(user.combiner(), type, into, left, right, (int) (count * type.sizeBytes()));
    } else {
      reducer.reduce(reduction.inner(), type, into, left, right, count);
    }
  }

  /** Whether the calling thread is inside a function of the user's. */
  boolean isInUsersFunction() {
    return Thread.holdsLock(this);
  }

  /**
   * One at a time, also where two communicators call the same function. Nothing else takes this
   * lock: {@link #isInUsersFunction} rests on that.
   */
  private synchronized void call(
      Combiner combiner, DataType type, long into, long left, long right, int sizeBytes) {
    combiner.combine(
        NativeMemory.viewOf(left, sizeBytes),
        NativeMemory.viewOf(right, sizeBytes),
        NativeMemory.viewOf(into, sizeBytes),
        type);
  }
}
