// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.exec.submit.Stopwatch;
import io.tombolo.runtime.plan.Resource;
import io.tombolo.runtime.recorder.FlightStep;
import java.util.Arrays;
import java.util.Optional;

/**
 * An execution of a program: which steps have ended, and which may start. Made once, and begun
 * again when it is over.
 */
public final class ProgramRun {
  private final Program program;
  private final int[] waitingFor;
  private final boolean[] ended;
  private final ImmutableList<StepSequence> sequences;
  private Binding binding;
  private Stopwatch watch;
  private int remaining;
  private int first;
  private boolean held;

  ProgramRun(Program program) {
    this.program = program;
    this.waitingFor = new int[program.size()];
    this.ended = new boolean[program.size()];
    ImmutableList.Builder<StepSequence> all = ImmutableList.builder();
    program
        .byResource()
        .forEach((resource, steps) -> all.add(new StepSequence(this, resource, steps)));
    this.sequences = all.build();
  }

  /**
   * Nothing has started; memory is what {@code memory} names, and {@code timer} times the steps.
   */
  void begin(Binding memory, Stopwatch timer) {
    binding = memory;
    watch = timer;
    remaining = program.size();
    first = 0;
    held = false;
    program.copyDependencies(waitingFor);
    Arrays.fill(ended, false);
    for (int i = 0; i < sequences.size(); i++) {
      sequences.get(i).begin();
    }
  }

  Binding binding() {
    return binding;
  }

  Stopwatch watch() {
    return watch;
  }

  ImmutableList<StepSequence> sequences() {
    return sequences;
  }

  /** Has no step start, or lets them. */
  void hold(boolean hold) {
    held = hold;
  }

  public boolean isDone() {
    return remaining == 0;
  }

  /** Whether all that step {@code id} waits for has ended. */
  boolean isReady(int id) {
    return waitingFor[id] == 0 && !held;
  }

  boolean hasEnded(int id) {
    return ended[id];
  }

  /** Whether all steps of {@code resource} have been started. */
  public boolean hasStarted(Resource resource) {
    for (int i = 0; i < sequences.size(); i++) { // asked in every round, so it makes no garbage
      if (sequences.get(i).resource().equals(resource) && !sequences.get(i).isExhausted()) {
        return false;
      }
    }
    return true;
  }

  void ended(int stepId) {
    ended[stepId] = true;
    remaining--;
    for (int successor : program.successors(stepId)) {
      waitingFor[successor]--;
    }
  }

  /** The first step that has not ended, as a word of {@link FlightStep}. */
  long step() {
    while (first < ended.length && ended[first]) {
      first++;
    }
    return first == ended.length
        ? FlightStep.allEnded(first)
        : FlightStep.word(first, ended.length, program.resource(first));
  }

  /**
   * What holds the run up, for error messages: the first step that was started and has not ended.
   */
  public String heldUpBy() {
    return sequences.stream()
        .flatMap(sequence -> sequence.underWay().stream())
        .map(step -> "step " + step.id() + " of " + program.size() + ", " + step.action())
        .findFirst()
        .or(this::noRoom)
        .orElse("nothing");
  }

  private Optional<String> noRoom() {
    return sequences.stream()
        .flatMap(
            sequence ->
                sequence.waiting().stream()
                    .map(step -> "no room for " + step + " at " + sequence.resource()))
        .findFirst();
  }
}
