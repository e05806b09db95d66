// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.message;

import io.tombolo.runtime.exec.memory.Arena;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.run.Program;
import io.tombolo.runtime.exec.run.ProgramRun;
import io.tombolo.runtime.exec.submit.SubmittedOperation;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.plan.Resource;
import java.util.Optional;

/** One message of an operation on its way through the {@link Messenger}. */
final class PendingMessage {
  private final SubmittedOperation operation;
  private final Task task;
  private final Program program;
  private WorkspacePool.Workspace workspace;
  private ProgramRun run;

  /** A message that {@code program} carries, made of the plan of {@code task}. */
  PendingMessage(SubmittedOperation operation, Task task, Program program) {
    this.operation = operation;
    this.task = task;
    this.program = program;
  }

  SubmittedOperation operation() {
    return operation;
  }

  boolean isOf(SubmittedOperation other) {
    return operation.sequence() == other.sequence();
  }

  /** The direction of one channel that it goes; none to this rank itself, or without elements. */
  Optional<Resource> channel() {
    return program.channel();
  }

  void start(WorkspacePool.Workspace lent, Arena scratch, WindowCopies copies) {
    workspace = lent;
    run = program.run(task.bind(lent.stage(), scratch, copies), operation.watch());
    lent.scheduler().add(run);
  }

  int work() {
    return workspace.scheduler().work();
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

  /** It is done: gives back what the next can use. Returns what was lent to it. */
  WorkspacePool.Workspace leave() {
    program.giveBack(run);
    return workspace;
  }
}
