// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.runtime.exec.memory.Arena;
import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.exec.memory.DeviceWindow;
import io.tombolo.runtime.exec.memory.Packing;
import io.tombolo.runtime.exec.memory.Stage;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.memory.Windows;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Reach;
import io.tombolo.runtime.plan.Step;
import java.util.Map;
import java.util.Optional;

/**
 * A plan and the caller's memory it is for.
 *
 * @param plan what to do
 * @param inputAddress device address of the input; unused where calls are packed
 * @param outputAddress device address of the output; unused where calls are packed
 * @param packing how several calls were made one, if they were
 * @param input the allocation that the input lies in, where messages may
 * @param output the allocation that the output lies in, where messages may
 */
public record Task(
    Plan plan,
    long inputAddress,
    long outputAddress,
    Optional<Packing> packing,
    Optional<DeviceMemory> input,
    Optional<DeviceMemory> output) {
  /** One call's plan, or several calls' where they were packed; all its messages are staged. */
  public Task(Plan plan, long inputAddress, long outputAddress, Optional<Packing> packing) {
    this(plan, inputAddress, outputAddress, packing, Optional.empty(), Optional.empty());
  }

  /** One call's plan on its caller's memory. */
  public Task(Plan plan, long inputAddress, long outputAddress) {
    this(plan, inputAddress, outputAddress, Optional.empty());
  }

  /**
   * Where the plan's memories are, with a stage and a scratch lent by the executor; channels copy
   * device memory by {@code copies}.
   */
  public Binding bind(Stage stage, Arena scratch, WindowCopies copies) {
    return bind(0, stage, scratch, copies);
  }

  /** As the other; if calls are packed, then at {@code packed}. */
  public Binding bind(long packed, Stage stage, Arena scratch, WindowCopies copies) {
    int element = plan.call().type().sizeBytes();
    long scratchAddress = scratch.reserve(plan.scratchElements() * element);
    return new Binding(
        packing.isPresent() ? packed + packing.get().inputOffset() : inputAddress,
        packing.isPresent() ? packed + packing.get().outputOffset() : outputAddress,
        stage.reserve(plan.stageElements() * element),
        scratchAddress,
        plan.call().type(),
        plan.call().reach().equals(Reach.NONE) ? Windows.NONE : windows(scratch, copies));
  }

  private Windows windows(Arena scratch, WindowCopies copies) {
    return new Windows(
        input.map(memory -> DeviceWindow.of(copies, memory, inputAddress)),
        output.map(memory -> DeviceWindow.of(copies, memory, outputAddress)),
        scratch.memory().map(memory -> DeviceWindow.of(copies, memory, memory.address())));
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
