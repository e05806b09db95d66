// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.message;

import io.tombolo.runtime.exec.memory.LentMemory;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.run.Program;
import io.tombolo.runtime.exec.run.ProgramRun;
import io.tombolo.runtime.exec.run.StepScheduler;
import io.tombolo.runtime.exec.submit.SubmittedOperation;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.plan.Resource;
import java.util.Optional;

/** One message of an operation on its way through the {@link Messenger}. */
final class PendingMessage {
  private final SubmittedOperation operation;
  private final Task task;
  private final Program program;
  private final TagLane lane;
  private StepScheduler scheduler;
  private ProgramRun run;

  /** A message that {@code program} carries in {@code lane}, made of the plan of {@code task}. */
  PendingMessage(SubmittedOperation operation, Task task, Program program, TagLane lane) {
    this.operation = operation;
    this.task = task;
    this.program = program;
    this.lane = lane;
  }

  SubmittedOperation operation() {
    return operation;
  }

  boolean isOf(SubmittedOperation other) {
    return operation.sequence() == other.sequence();
  }

  /** Where it keeps its place among those of its tag. */
  TagLane lane() {
    return lane;
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

  String heldUpBy() {
    return run.heldUpBy();
  }

  /** It is done: gives back what the next can use. */
  void leave() {
    program.giveBack(run);
    lane.giveBack(scheduler);
  }
}
