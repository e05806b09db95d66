package io.tombolo.runtime.exec;

import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Plan;
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
 */
public record Task(Plan plan, long inputAddress, long outputAddress, Optional<Packing> packing) {
  /** One call's plan on its caller's memory. */
  public Task(Plan plan, long inputAddress, long outputAddress) {
    this(plan, inputAddress, outputAddress, Optional.empty());
  }

  /** Where the plan's memories are, with a stage and a scratch lent by the executor. */
  Binding bind(Stage stage, Arena scratch) {
    return bind(0, stage, scratch);
  }

  /** As the other; if calls are packed, then at {@code packed}. */
  Binding bind(long packed, Stage stage, Arena scratch) {
    int element = plan.call().type().sizeBytes();
    return new Binding(
        packing.isPresent() ? packed + packing.get().inputOffset() : inputAddress,
        packing.isPresent() ? packed + packing.get().outputOffset() : outputAddress,
        stage.reserve(plan.stageElements() * element),
        scratch.reserve(plan.scratchElements() * element),
        plan.call().type());
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
