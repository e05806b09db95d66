// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.exec.submit.TaskFactory;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Reach;
import java.util.Optional;
import java.util.function.Function;

/**
 * Plans calls so that messages lie where the caller's elements are, if they are in memory of {@link
 * DeviceAdaptor#allocate} and NICs reach it. All other memory is staged: nobody would tell when it
 * is freed, and registered it would stand for what was there before.
 *
 * @param rank this rank
 * @param size number of ranks
 * @param device this process's device
 * @param reach what NICs reach of that device, on which ways
 * @param planner plans calls
 */
record DirectTasks(
    int rank, int size, DeviceAdaptor device, Reach reach, Function<CollectiveCall, Plan> planner)
    implements TaskFactory {

  @Override
  public Task task(CollectiveCall call, long send, long receive) {
    if (reach.isNone()) {
      return new Task(planner.apply(call), send, receive);
    }
    Optional<DeviceMemory> input = memory(call, send, call.inputElements(rank, size));
    Optional<DeviceMemory> output = memory(call, receive, call.outputElements(rank, size));
    Plan plan = planner.apply(call.reaching(reach.to(input.isPresent(), output.isPresent())));
    return new Task(plan, send, receive, input, output);
  }

  private Optional<DeviceMemory> memory(CollectiveCall call, long address, long elements) {
    return elements == 0
        ? Optional.empty()
        : device.allocationAt(address, elements * call.type().sizeBytes());
  }
}
