package io.tombolo.runtime.exec;

import io.tombolo.adaptors.reduce.HostReducer;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Range;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.plan.Step;

/**
 * Does arithmetic on the stage, a slice per poll so that the agent can look after the channels in
 * between.
 */
final class HostEngine implements Engine {
  /** About 20 µs of work, and small enough to stay in the first caches. */
  private static final int SLICE_BYTES = 256 << 10;

  private final HostReducer reducer;
  private Step step;
  private Binding binding;
  private Ended listener;
  private long elements;
  private long doneElements;

  HostEngine(HostReducer reducer) {
    this.reducer = reducer;
  }

  @Override
  public boolean start(Step next, Binding memory, Ended ended) {
    if (step != null) {
      return false;
    }
    step = next;
    binding = memory;
    listener = ended;
    elements = result(next.action()).length();
    doneElements = 0;
    return true;
  }

  @Override
  public int poll() {
    if (step == null) {
      return 0;
    }
    long slice = Math.min(SLICE_BYTES / binding.type().sizeBytes(), elements - doneElements);
    compute(doneElements * binding.type().sizeBytes(), slice);
    doneElements += slice;
    if (doneElements == elements) {
      int id = step.id();
      step = null;
      listener.ended(id);
    }
    return 1;
  }

  /** What {@code action} writes, without the list that {@link Action#writes} makes of it. */
  private static Range result(Action action) {
    if (action instanceof Action.Combine combine) {
      return combine.into();
    }
    return action instanceof Action.Divide divide
        ? divide.range()
        : ((Action.Scale) action).range();
  }

  private void compute(long offsetBytes, long elements) {
    DataType type = binding.type();
    if (step.action() instanceof Action.Combine combine) {
      combine(
          combine.reduction(),
          binding.address(combine.into()) + offsetBytes,
          binding.address(combine.left()) + offsetBytes,
          binding.address(combine.right()) + offsetBytes,
          elements);
    } else if (step.action() instanceof Action.Divide divide) {
      long address = binding.address(divide.range()) + offsetBytes;
      reducer.divide(type, address, address, elements, divide.divisor());
    } else if (step.action() instanceof Action.Scale scale) {
      long address = binding.address(scale.range()) + offsetBytes;
      reducer.scale(type, address, address, elements, scale.factor());
    }
  }

  private void combine(Reduction reduction, long into, long left, long right, long elements) {
    DataType type = binding.type();
    if (reduction instanceof Reduction.UserDefined user) {
      int bytes = (int) (elements * type.sizeBytes());
      user.combiner()
          .combine(
              NativeMemory.viewOf(left, bytes),
              NativeMemory.viewOf(right, bytes),
              NativeMemory.viewOf(into, bytes),
              type);
    } else {
      reducer.reduce(reduction.inner(), type, into, left, right, elements);
    }
  }
}
