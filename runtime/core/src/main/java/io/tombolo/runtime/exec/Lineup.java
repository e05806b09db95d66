package io.tombolo.runtime.exec;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.WorkStage;
import io.tombolo.runtime.plan.Resource;
import io.tombolo.runtime.plan.Step;
import java.util.Optional;

/** The steps of one run on one resource, in program order. */
final class Lineup implements Engine.Ended {
  private final ProgramRun run;
  private final Resource resource;
  private final WorkStage stage;
  private final ImmutableList<Step> steps;
  private Lines.Station station;
  private int next;

  Lineup(ProgramRun run, Resource resource, ImmutableList<Step> steps) {
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
  void joins(Lines.Station at) {
    station = at;
  }

  /** Starts what can be started; returns how many steps. */
  int start() {
    int first = next;
    while (next < steps.size()
        && run.isReady(steps.get(next).id())
        && station.start(steps.get(next), run.binding(), this)) {
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
    station.stepEnded();
    run.watch().end(stage);
    run.ended(stepId);
  }
}
