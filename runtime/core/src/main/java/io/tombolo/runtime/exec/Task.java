package io.tombolo.runtime.exec;

import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Step;
import java.util.Map;

/**
 * A plan and the caller's memory it is for.
 *
 * @param plan what to do
 * @param inputAddress device address of the input
 * @param outputAddress device address of the output
 */
public record Task(Plan plan, long inputAddress, long outputAddress) {
  /** Where the plan's memories are, with a stage and a scratch lent by the executor. */
  Binding bind(Arena stage, Arena scratch) {
    int element = plan.call().type().sizeBytes();
    return new Binding(
        inputAddress,
        outputAddress,
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
