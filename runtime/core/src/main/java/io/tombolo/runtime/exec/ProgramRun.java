package io.tombolo.runtime.exec;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.plan.Resource;
import io.tombolo.runtime.plan.Step;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * One execution of a program: starts each step once what it waits for has ended and its resource is
 * at it.
 */
final class ProgramRun implements Engine.Ended {

  /** The steps of one resource, in program order. */
  private static final class Lineup {
    private final Resource resource;
    private final ImmutableList<Step> steps;
    private final Engine engine;
    private int next;

    Lineup(Resource resource, Collection<Step> steps, Engine engine) {
      this.resource = resource;
      this.steps = ImmutableList.copyOf(steps);
      this.engine = engine;
    }
  }

  private final Program program;
  private final Binding binding;
  private final int[] waitingFor;
  private final boolean[] ended;
  private final List<Lineup> lineups = new ArrayList<>();
  private final Collection<Engine> engines = new LinkedHashSet<>();
  private int remaining;

  ProgramRun(Program program, Binding binding, Function<Resource, Engine> engineOf) {
    this.program = program;
    this.binding = binding;
    this.waitingFor = program.dependencies();
    this.ended = new boolean[program.size()];
    this.remaining = program.size();
    program
        .byResource()
        .asMap()
        .forEach(
            (resource, steps) ->
                lineups.add(new Lineup(resource, steps, engineOf.apply(resource))));
    lineups.forEach(lineup -> engines.add(lineup.engine));
  }

  boolean isDone() {
    return remaining == 0;
  }

  /** Whether all steps of {@code resource} have been started. */
  boolean hasStarted(Resource resource) {
    return lineups.stream()
        .filter(lineup -> lineup.resource.equals(resource))
        .allMatch(lineup -> lineup.next == lineup.steps.size());
  }

  /** Starts and ends what it can; returns how many steps it moved. */
  int work() {
    int moved = 0;
    for (Lineup lineup : lineups) {
      while (lineup.next < lineup.steps.size()
          && waitingFor[lineup.steps.get(lineup.next).id()] == 0
          && lineup.engine.start(lineup.steps.get(lineup.next), binding, this)) {
        lineup.next++;
        moved++;
      }
    }
    for (Engine engine : engines) {
      moved += engine.poll();
    }
    return moved;
  }

  @Override
  public void ended(int stepId) {
    ended[stepId] = true;
    remaining--;
    for (int successor : program.successors(stepId)) {
      waitingFor[successor]--;
    }
  }

  /**
   * What holds the run up, for error messages: the first step that was started and has not ended.
   */
  String heldUpBy() {
    Optional<String> started =
        lineups.stream()
            .flatMap(lineup -> lineup.steps.subList(0, lineup.next).stream())
            .filter(step -> !ended[step.id()])
            .map(step -> "step " + step.id() + " of " + program.size() + ", " + step.action())
            .findFirst();
    return started.orElseGet(
        () ->
            lineups.stream()
                .filter(lineup -> lineup.next < lineup.steps.size())
                .map(
                    lineup ->
                        "no room for " + lineup.steps.get(lineup.next) + " at " + lineup.resource)
                .findFirst()
                .orElse("nothing"));
  }
}
