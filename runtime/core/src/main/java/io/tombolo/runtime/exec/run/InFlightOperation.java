// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.submit.CallerHandoff;
import io.tombolo.runtime.exec.submit.SubmittedOperation;
import io.tombolo.runtime.exec.submit.Task;
import java.util.Arrays;
import java.util.Optional;

/** An operation that the {@link Executor} has taken in, and which of its tasks are under way. */
final class InFlightOperation {
  private final SubmittedOperation operation;
  private final TaskRun[] runs;
  private int started;
  private long step;

  InFlightOperation(SubmittedOperation operation) {
    this.operation = operation;
    this.runs = new TaskRun[operation.tasks().size()];
  }

  SubmittedOperation operation() {
    return operation;
  }

  /** Whether tasks have been started. */
  boolean isUnderWay() {
    return started > 0;
  }

  boolean hasMore() {
    return started < runs.length && !operation.isCallers();
  }

  /** The next task to start. */
  Task next() {
    return operation.tasks().get(started);
  }

  void started(TaskRun run) {
    runs[started++] = run;
  }

  /** Whether all its tasks have ended. */
  boolean isDone() {
    if (hasMore() || operation.isHeldByCaller()) {
      return false;
    }
    if (operation.isCallers()) {
      return true;
    }
    for (TaskRun run : runs) {
      if (!run.isDone()) {
        return false;
      }
    }
    return true;
  }

  /** Throws what its caller's call has thrown, if that has. */
  void raiseThrown() {
    Optional<TomboloException> thrown = operation.handoff().flatMap(CallerHandoff::thrown);
    if (thrown.isPresent()) {
      throw thrown.get();
    }
  }

  /** Tells its recorder at which step it stands, if that has changed. */
  void recordStep() {
    long now = started == 0 ? 0 : current().step();
    if (now != step) {
      step = now;
      operation.reached(now);
    }
  }

  /** The first task that has not ended, of those that were started; the last if all have. */
  private TaskRun current() {
    int at = 0;
    while (at < started - 1 && runs[at].isDone()) {
      at++;
    }
    return runs[at];
  }

  String heldUpBy() {
    if (operation.isOnStream() && !operation.isHeldByCaller()) {
      return "the vendor's library, whose work on the caller's stream has not ended";
    }
    if (operation.isCallers()) {
      return "the vendor's library, which the caller's thread is in";
    }
    return Arrays.stream(runs, 0, started)
        .filter(run -> !run.isDone())
        .map(run -> run.program().heldUpBy())
        .findFirst()
        .orElse("earlier operations");
  }
}
