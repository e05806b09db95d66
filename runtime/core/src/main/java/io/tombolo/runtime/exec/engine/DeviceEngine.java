// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.Stream;
import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Step;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Combines with the device's kernels, on a stream of ours, in the device's memory or on the stage.
 * That is pinned: the device reads and writes it where it is.
 */
final class DeviceEngine implements Engine, AutoCloseable {
  private final DeviceReducer reducer;
  private final Stream stream;
  private final StreamMarks marks;
  private final AtomicLong started = new AtomicLong();

  /** An engine of {@code device}; {@code reducer} and {@code stream} stay the caller's. */
  DeviceEngine(DeviceAdaptor device, DeviceReducer reducer, Stream stream) {
    this.reducer = reducer;
    this.stream = stream;
    this.marks = new StreamMarks(device, stream);
  }

  /** Steps started so far. Thread-safe. */
  long started() {
    return started.get();
  }

  @Override
  public boolean start(Step step, Binding binding, Ended ended) {
    if (!marks.hasRoom()) {
      return false;
    }
    Action.Combine combine = (Action.Combine) step.action();
    reducer.reduceAsync(
        combine.reduction().inner(),
        binding.type(),
        binding.address(combine.into()),
        binding.address(combine.left()),
        binding.address(combine.right()),
        combine.into().length(),
        stream);
    marks.mark(step.id(), ended);
    started.incrementAndGet();
    return true;
  }

  @Override
  public int poll() {
    return marks.poll();
  }

  @Override
  public void close() {
    marks.close();
  }
}
