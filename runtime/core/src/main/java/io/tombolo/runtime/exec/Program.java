package io.tombolo.runtime.exec;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Multimaps;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Resource;
import io.tombolo.runtime.plan.Step;

/**
 * A plan prepared for running: who waits for whom, and each resource's steps in program order.
 * Immutable.
 */
final class Program {
  private final ImmutableList<Step> steps;
  private final int[][] successors;
  private final int[] dependencies;
  private final ImmutableListMultimap<Resource, Step> byResource;

  Program(Plan plan) {
    this.steps = plan.steps();
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
    this.byResource = Multimaps.index(steps, step -> Resource.of(step.action()));
  }

  int size() {
    return steps.size();
  }

  /** Ids of the steps that wait for step {@code id}. */
  int[] successors(int id) {
    return successors[id];
  }

  /** How many steps each step waits for; a new array. */
  int[] dependencies() {
    return dependencies.clone();
  }

  ImmutableListMultimap<Resource, Step> byResource() {
    return byResource;
  }
}
