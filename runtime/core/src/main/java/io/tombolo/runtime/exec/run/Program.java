// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.exec.submit.Stopwatch;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Resource;
import io.tombolo.runtime.plan.Step;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A plan prepared for running: who waits for whom, and each resource's steps in program order.
 * Keeps the runs that are over for the next ones. Used by the agent's thread only.
 */
public final class Program {
  private final ImmutableList<Step> steps;
  private final ImmutableList<Resource> resources;
  private final int[][] successors;
  private final int[] dependencies;
  private final ImmutableMap<Resource, ImmutableList<Step>> byResource;
  private final Optional<Resource> channel;
  private final int messages;
  private final Deque<ProgramRun> idle = new ArrayDeque<>(1);

  Program(Plan plan) {
    this.steps = plan.steps();
    this.resources =
        steps.stream()
            .map(step -> Resource.of(step.action()))
            .collect(ImmutableList.toImmutableList());
    this.dependencies = new int[steps.size()];
    int[] counts = new int[steps.size()];
    steps.forEach(step -> step.after().forEach(earlier -> counts[earlier]++));
    this.successors = new int[steps.size()][];
    for (int id = 0; id < counts.length; id++) {
      successors[id] = new int[counts[id]];
    }
    for (Step step : steps) {
      dependencies[step.id()] = step.after().length();
      step.after().forEach(earlier -> successors[earlier][--counts[earlier]] = step.id());
    }
    this.byResource = sortedByResource();
    this.channel =
        byResource.keySet().stream().filter(resource -> resource.kind().isChannel()).findFirst();
    this.messages =
        (int) steps.stream().filter(step -> step.action() instanceof Action.Send).count();
  }

  private ImmutableMap<Resource, ImmutableList<Step>> sortedByResource() {
    Map<Resource, ImmutableList.Builder<Step>> lists = new LinkedHashMap<>();
    for (Step step : steps) {
      lists.computeIfAbsent(resources.get(step.id()), key -> ImmutableList.builder()).add(step);
    }
    return ImmutableMap.copyOf(Maps.transformValues(lists, ImmutableList.Builder::build));
  }

  /** A run on the memory that {@code binding} names, timed by {@code watch}. */
  public ProgramRun run(Binding binding, Stopwatch watch) {
    ProgramRun run = idle.isEmpty() ? new ProgramRun(this) : idle.pop();
    run.begin(binding, watch);
    return run;
  }

  /** Takes back {@code run}, which is over. */
  public void giveBack(ProgramRun run) {
    idle.push(run);
  }

  int size() {
    return steps.size();
  }

  /** What step {@code id} occupies. */
  Resource resource(int id) {
    return resources.get(id);
  }

  /** Messages it sends. */
  int messages() {
    return messages;
  }

  /** The first direction of a channel that it uses, if any: of a single message, the only one. */
  public Optional<Resource> channel() {
    return channel;
  }

  /** Ids of the steps that wait for step {@code id}. */
  int[] successors(int id) {
    return successors[id];
  }

  /** Says how many steps each step waits for. */
  void copyDependencies(int[] into) {
    System.arraycopy(dependencies, 0, into, 0, dependencies.length);
  }

  ImmutableMap<Resource, ImmutableList<Step>> byResource() {
    return byResource;
  }
}
