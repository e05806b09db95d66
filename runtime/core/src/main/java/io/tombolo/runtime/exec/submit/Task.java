// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.tombolo.adaptors.Stream;
import io.tombolo.runtime.exec.engine.VendorEngine;
import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.exec.memory.CallerMemory;
import io.tombolo.runtime.exec.memory.HostWindow;
import io.tombolo.runtime.exec.memory.LentMemory;
import io.tombolo.runtime.exec.memory.Packing;
import io.tombolo.runtime.exec.memory.TaskMemory;
import io.tombolo.runtime.exec.memory.TaskWindows;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.memory.Windows;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Reach;
import io.tombolo.runtime.plan.Step;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * A plan and the caller's memory it is for.
 *
 * @param plan what to do
 * @param inputAddress device address of the input; unused where calls are packed
 * @param outputAddress device address of the output; unused where calls are packed
 * @param packing how several calls were made one, if they were
 * @param input the caller's input, where messages may lie in it
 * @param output the caller's output, where messages may lie in it
 * @param lent what it works in, where that was lent to it before it came in
 * @param tag of a message: it meets one of the same tag; 0 for all else
 * @param sources of a message that may come from any of several ranks: the plan for each of them;
 *     empty for all else
 */
public record Task(
    Plan plan,
    long inputAddress,
    long outputAddress,
    Optional<Packing> packing,
    Optional<CallerMemory> input,
    Optional<CallerMemory> output,
    Optional<LentMemory> lent,
    int tag,
    ImmutableMap<Integer, Plan> sources) {
  private static final HostWindow NO_STAGE = new HostWindow(0, 0);

  /** A call's plan on its caller's memory, which messages may lie in. */
  public Task(
      Plan plan,
      long inputAddress,
      long outputAddress,
      Optional<CallerMemory> input,
      Optional<CallerMemory> output) {
    this(
        plan,
        inputAddress,
        outputAddress,
        Optional.empty(),
        input,
        output,
        Optional.empty(),
        0,
        ImmutableMap.of());
  }

  /** One call's plan, or several calls' where they were packed; all its messages are staged. */
  public Task(Plan plan, long inputAddress, long outputAddress, Optional<Packing> packing) {
    this(
        plan,
        inputAddress,
        outputAddress,
        packing,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        0,
        ImmutableMap.of());
  }

  /** One call's plan on its caller's memory. */
  public Task(Plan plan, long inputAddress, long outputAddress) {
    this(plan, inputAddress, outputAddress, Optional.empty());
  }

  /** It, with {@code memory} lent to it. */
  public Task in(LentMemory memory) {
    return new Task(
        plan,
        inputAddress,
        outputAddress,
        packing,
        input,
        output,
        Optional.of(memory),
        tag,
        sources);
  }

  /** It, as a message that meets one of the same tag. */
  public Task tagged(int newTag) {
    return newTag == tag
        ? this
        : new Task(
            plan, inputAddress, outputAddress, packing, input, output, lent, newTag, sources);
  }

  /**
   * A message that may come from any of several ranks.
   *
   * @param bySource the task that it would be from each of them, on the same memory
   */
  public static Task fromAny(ImmutableMap<Integer, Task> bySource) {
    Task any = bySource.values().iterator().next();
    return new Task(
        any.plan,
        any.inputAddress,
        any.outputAddress,
        any.packing,
        any.input,
        any.output,
        any.lent,
        any.tag,
        ImmutableMap.copyOf(Maps.transformValues(bySource, Task::plan)));
  }

  /** It, now that it is known to come from rank {@code source}. */
  public Task from(int source) {
    return new Task(
        sources.get(source),
        inputAddress,
        outputAddress,
        packing,
        input,
        output,
        lent,
        tag,
        ImmutableMap.of());
  }

  /** Bytes of stage that it needs. */
  public long stageBytes() {
    return mostElements(Plan::stageElements) * plan.call().type().sizeBytes();
  }

  /** Bytes of scratch that it needs. */
  public long scratchBytes() {
    return mostElements(Plan::scratchElements) * plan.call().type().sizeBytes();
  }

  private long mostElements(ToLongFunction<Plan> need) {
    long most = need.applyAsLong(plan);
    if (!sources.isEmpty()) { // asked in every call, so it makes no garbage
      for (Plan each : sources.values()) {
        most = Math.max(most, need.applyAsLong(each));
      }
    }
    return most;
  }

  /** Bytes that it needs for packed calls. */
  public long packedBytes() {
    return packing.isPresent() ? packing.get().sizeBytes() : 0;
  }

  /** Whether channels may copy device memory for it. */
  public boolean hasWindows() {
    return !plan.call().reach().equals(Reach.NONE);
  }

  /**
   * Where the plan's memories are, with {@code memory} lent to it; channels copy device memory by
   * {@code copies}.
   */
  public Binding bind(TaskMemory memory, WindowCopies copies) {
    long packed = memory.packed().address();
    return new Binding(
        packing.isPresent() ? packed + packing.get().inputOffset() : inputAddress,
        packing.isPresent() ? packed + packing.get().outputOffset() : outputAddress,
        memory.stage().window(),
        memory.scratch().address(),
        plan.call().type(),
        hasWindows() ? new TaskWindows(copies, input, output, memory.scratch()) : Windows.NONE);
  }

  /** Makes the one vendor call that the plan is, on the caller's buffers. */
  void call(VendorEngine engine, Stream stream) {
    engine.call((Action.IntraCall) plan.steps().get(0).action(), callersBuffers(), stream);
  }

  /** Has the other ranks find this one's part of that call before it is made. */
  void offer(VendorEngine engine) {
    engine.offer((Action.IntraCall) plan.steps().get(0).action(), callersBuffers());
  }

  private Binding callersBuffers() {
    return new Binding(inputAddress, outputAddress, NO_STAGE, 0, plan.call().type(), Windows.NONE);
  }

  /** Adds the bytes that the plan sends to each rank. */
  void addSent(Map<Integer, Long> bytesByRank) {
    long element = plan.call().type().sizeBytes();
    for (Step step : plan.steps()) {
      if (step.action() instanceof Action.Send send) {
        bytesByRank.merge(send.peer(), send.from().length() * element, Long::sum);
      }
    }
  }
}
