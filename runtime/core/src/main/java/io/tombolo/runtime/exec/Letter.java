package io.tombolo.runtime.exec;

import io.tombolo.runtime.plan.Resource;
import java.util.Optional;
import java.util.function.Function;

/** One message of an operation on its way through the {@link Messenger}. */
final class Letter {
  private final Operation operation;
  private final Task task;
  private final Program program;
  private final Optional<Resource> channel;
  private Stage stage;
  private Lines lines;
  private ProgramRun run;

  Letter(Operation operation, Task task) {
    this.operation = operation;
    this.task = task;
    this.program = new Program(task.plan());
    this.channel = program.byResource().keySet().stream().filter(Letter::isChannel).findFirst();
  }

  private static boolean isChannel(Resource resource) {
    return switch (resource.kind()) {
      case SEND, RECEIVE -> true;
      case VENDOR, COPY, HOST -> false;
    };
  }

  Operation operation() {
    return operation;
  }

  boolean isOf(Operation other) {
    return operation.sequence() == other.sequence();
  }

  /** The direction of one channel that it goes; none to this rank itself, or without elements. */
  Optional<Resource> channel() {
    return channel;
  }

  void start(Stage lent, Arena scratch, Function<Resource, Engine> engines) {
    stage = lent;
    lines = new Lines(engines);
    run = program.run(task.bind(lent, scratch), operation.watch());
    lines.add(run);
  }

  int work() {
    return lines.work();
  }

  boolean isStarted() {
    return run != null;
  }

  /** Whether all of it has been handed to its channel. */
  boolean hasPosted() {
    return channel.map(run::hasStarted).orElse(true);
  }

  boolean isDone() {
    return run != null && run.isDone();
  }

  String heldUpBy() {
    return run.heldUpBy();
  }

  /** What was lent to it. */
  Stage stage() {
    return stage;
  }
}
