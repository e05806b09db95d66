package io.tombolo.runtime.exec;

import io.tombolo.runtime.plan.Resource;
import java.util.Optional;

/** One message of an operation on its way through the {@link Messenger}. */
final class Letter {
  private final Operation operation;
  private final Task task;
  private final Program program;
  private Desks.Desk desk;
  private ProgramRun run;

  /** A letter that {@code program} carries, made of the plan of {@code task}. */
  Letter(Operation operation, Task task, Program program) {
    this.operation = operation;
    this.task = task;
    this.program = program;
  }

  Operation operation() {
    return operation;
  }

  boolean isOf(Operation other) {
    return operation.sequence() == other.sequence();
  }

  /** The direction of one channel that it goes; none to this rank itself, or without elements. */
  Optional<Resource> channel() {
    return program.channel();
  }

  void start(Desks.Desk lent, Arena scratch, WindowCopies copies) {
    desk = lent;
    run = program.run(task.bind(lent.stage(), scratch, copies), operation.watch());
    lent.lines().add(run);
  }

  int work() {
    return desk.lines().work();
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
  Desks.Desk leave() {
    program.giveBack(run);
    return desk;
  }
}
