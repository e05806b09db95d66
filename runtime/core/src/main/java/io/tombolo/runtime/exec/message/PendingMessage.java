// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.message;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.exec.memory.LentMemory;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.run.Program;
import io.tombolo.runtime.exec.run.ProgramCache;
import io.tombolo.runtime.exec.run.ProgramRun;
import io.tombolo.runtime.exec.run.StepScheduler;
import io.tombolo.runtime.exec.submit.SubmittedOperation;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.plan.Resource;
import java.util.Optional;
import java.util.Set;

/** One message of an operation on its way through the {@link Messenger}. */
final class PendingMessage {
  private final long number;
  private final SubmittedOperation operation;
  private final TagLane lane;
  private final ProgramCache programs;
  private final ImmutableList<Resource> sources;
  private Task task;
  private Program program; // null until it is known whose message it meets
  private StepScheduler scheduler;
  private ProgramRun run;

  /**
   * The message {@code number} that was called, which goes in {@code lane} as {@code task} says.
   */
  PendingMessage(
      long number, SubmittedOperation operation, Task task, TagLane lane, ProgramCache programs) {
    this.number = number;
    this.operation = operation;
    this.task = task;
    this.lane = lane;
    this.programs = programs;
    boolean isFromAny = !task.sources().isEmpty();
    this.program = isFromAny ? null : programs.of(task.plan());
    this.sources = isFromAny ? receivesFrom(task.sources().keySet()) : ImmutableList.of();
  }

  private static ImmutableList<Resource> receivesFrom(Set<Integer> ranks) {
    return ranks.stream()
        .map(rank -> new Resource(Resource.Kind.RECEIVE, rank))
        .collect(ImmutableList.toImmutableList());
  }

  SubmittedOperation operation() {
    return operation;
  }

  boolean isOf(SubmittedOperation other) {
    return operation.sequence() == other.sequence();
  }

  /** Whether it was called later than {@code other}. */
  boolean isAfter(PendingMessage other) {
    return number > other.number;
  }

  /** Where it keeps its place among those of its tag. */
  TagLane lane() {
    return lane;
  }

  /** Whether it is known which rank it goes to or comes from. */
  boolean hasMet() {
    return program != null;
  }

  /** The ways it may come where any rank may send it; empty for all else. */
  ImmutableList<Resource> sources() {
    return sources;
  }

  /** It comes by {@code source}. */
  void meet(Resource source) {
    task = task.from(source.peer());
    program = programs.of(task.plan());
    operation.comesFrom(source.peer());
  }

  /** The direction of one channel that it goes; none to this rank itself, or without elements. */
  Optional<Resource> channel() {
    return program.channel();
  }

  /** Starts in a scheduler of its own, where its steps run alone: messages wait for nobody. */
  void start(WindowCopies copies) {
    scheduler = lane.scheduler();
    run = program.run(task.bind(memory().memory(), copies), operation.watch());
    scheduler.add(run);
  }

  /** What was lent to it when it was called. */
  LentMemory memory() {
    return task.lent().orElseThrow();
  }

  int work() {
    return scheduler.work();
  }

  boolean isStarted() {
    return run != null;
  }

  /** Whether all of it has been handed to its channel. */
  boolean hasPosted() {
    return channel().isEmpty() || run.hasStarted(channel().get());
  }

  boolean isDone() {
    return run != null && run.isDone();
  }

  /** What holds it up, for error messages. */
  String heldUpBy() {
    if (!hasMet()) {
      return "no rank has sent such a message";
    }
    return isStarted() ? run.heldUpBy() : "earlier messages between the same two ranks";
  }

  /** It is done: gives back what the next can use. */
  void leave() {
    program.giveBack(run);
    lane.giveBack(scheduler);
  }
}
