// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.exec.engine.Engine;
import io.tombolo.runtime.exec.submit.Stopwatch;
import io.tombolo.runtime.plan.Resource;
import io.tombolo.runtime.plan.Step;
import io.tombolo.runtime.work.WorkStage;
import java.util.Optional;

/** The steps of one run on one resource, in program order. */
final class StepSequence implements Engine.Ended {
  private final ProgramRun run;
  private final Resource resource;
  private final WorkStage stage;
  private final ImmutableList<Step> steps;
  private StepScheduler.ExecutionUnit unit;
  private int next;

  StepSequence(ProgramRun run, Resource resource, ImmutableList<Step> steps) {
    this.run = run;
    this.resource = resource;
    this.stage = Stopwatch.stageOf(resource);
    this.steps = steps;
  }

  Resource resource() {
    return resource;
  }

  /** No step has been started. */
  void begin() {
    next = 0;
  }

  /** Where the steps will be carried out. */
  void assignTo(StepScheduler.ExecutionUnit at) {
    unit = at;
  }

  /** Starts what can be started; returns how many steps. */
  int start() {
    int first = next;
    while (next < steps.size()
        && run.isReady(steps.get(next).id())
        && unit.start(steps.get(next), run.binding(), this)) {
      run.watch().begin(stage);
      next++;
    }
    return next - first;
  }

  /** Whether all steps have been started. */
  boolean isExhausted() {
    return next == steps.size();
  }

  /** The first step that has not been started. */
  Optional<Step> waiting() {
    return isExhausted() ? Optional.empty() : Optional.of(steps.get(next));
  }

  /** The first step that was started and has not ended. */
  Optional<Step> underWay() {
    return steps.subList(0, next).stream().filter(step -> !run.hasEnded(step.id())).findFirst();
  }

  @Override
  public void ended(int stepId) {
    unit.stepEnded();
    run.watch().end(stage);
    run.ended(stepId);
  }
}
