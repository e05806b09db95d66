package io.tombolo.runtime.exec;

import io.tombolo.runtime.plan.Plan;

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
}
