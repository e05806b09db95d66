// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.runtime.exec.memory.CallerMemory;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.exec.submit.TaskFactory;
import io.tombolo.runtime.plan.Collective;
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
 * <p>A plan that is one call of a library has no messages, so nobody is asked whose memory it works
 * in: to find that out would be a good part of what a short call costs. Whether a call's plan is
 * such a one is known once it is made. Most calls are of the kind of the one before, so after such
 * a call the next is planned for memory that nothing reaches, first. Thread-safe.
 */
final class DirectTasks implements TaskFactory {
  private final int rank;
  private final int size;
  private final DeviceAdaptor device;
  private final Reach reach;
  private final Reach anywhere;
  private final Function<CollectiveCall, Plan> planner;

  /** Whether the last collective call was one of a library. */
  private volatile boolean isOneCall;

  /**
   * Tasks of one rank.
   *
   * @param rank this rank
   * @param size number of ranks
   * @param device this process's device
   * @param reach what is reached of memory that the device has allocated, on which ways
   * @param anywhere what is reached of any memory
   * @param planner plans calls
   */
  DirectTasks(
      int rank,
      int size,
      DeviceAdaptor device,
      Reach reach,
      Reach anywhere,
      Function<CollectiveCall, Plan> planner) {
    this.rank = rank;
    this.size = size;
    this.device = device;
    this.reach = reach;
    this.anywhere = anywhere;
    this.planner = planner;
  }

  @Override
  public Task task(CollectiveCall call, long send, long receive) {
    if (reach.isNone()) {
      return new Task(planner.apply(call), send, receive);
    }
    boolean isMessage = call.collective() == Collective.EXCHANGE;
    if (isOneCall && !isMessage) {
      Plan plan = planner.apply(call);
      if (plan.isOneCall()) {
        return new Task(plan, send, receive);
      }
    }
    Task task = reached(call, send, receive);
    if (!isMessage) {
      isOneCall = task.plan().isOneCall();
    }
    return task;
  }

  private Task reached(CollectiveCall call, long send, long receive) {
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
