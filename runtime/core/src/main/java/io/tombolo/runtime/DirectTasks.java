// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.runtime.exec.memory.CallerMemory;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.exec.submit.TaskFactory;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Reach;
import java.util.Optional;
import java.util.function.Function;

/**
 * Plans calls so that messages lie where the caller's elements are, if that is reached. NICs reach
 * memory of {@link DeviceAdaptor#allocate} only: nobody would tell when other memory is freed, and
 * registered it would stand for what was there before. The device's own engine reaches all.
 *
 * @param rank this rank
 * @param size number of ranks
 * @param device this process's device
 * @param reach what is reached of memory that the device has allocated, on which ways
 * @param anywhere what is reached of any memory
 * @param planner plans calls
 */
record DirectTasks(
    int rank,
    int size,
    DeviceAdaptor device,
    Reach reach,
    Reach anywhere,
    Function<CollectiveCall, Plan> planner)
    implements TaskFactory {

  @Override
  public Task task(CollectiveCall call, long send, long receive) {
    if (reach.isNone()) {
      return new Task(planner.apply(call), send, receive);
    }
    long inputs = call.inputElements(rank, size);
    long outputs = call.outputElements(rank, size);
    Optional<CallerMemory> input = memory(call, send, inputs);
    Optional<CallerMemory> output =
        receive == send && outputs == inputs ? input : memory(call, receive, outputs);
    Plan plan = planner.apply(call.reaching(reachOf(input, output)));
    return new Task(plan, send, receive, input, output);
  }

  private Reach reachOf(Optional<CallerMemory> input, Optional<CallerMemory> output) {
    return anywhere.isNone() || !(isForeign(input) || isForeign(output))
        ? reach.to(input.isPresent() && !isForeign(input), output.isPresent() && !isForeign(output))
        : anywhere.to(input.isPresent(), output.isPresent());
  }

  private static boolean isForeign(Optional<CallerMemory> memory) {
    return memory.isPresent() && memory.get().allocation().isEmpty();
  }

  private Optional<CallerMemory> memory(CollectiveCall call, long address, long elements) {
    long bytes = elements * call.type().sizeBytes();
    return elements == 0
        ? Optional.empty()
        : Optional.of(new CallerMemory(address, bytes, device.allocationAt(address, bytes)));
  }
}
