// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.exec.submit.SubmittedOperation;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import java.util.Arrays;

/** An operation that the {@link Executor} has taken in, and its tasks under way. */
final class InFlightOperation {
  private final SubmittedOperation operation;
  private final TaskRun[] runs;
  private final boolean meets;
  private int started;

  InFlightOperation(SubmittedOperation operation) {
    this.operation = operation;
    this.runs = new TaskRun[operation.tasks().size()];
    this.meets =
        operation.calls().stream().anyMatch(call -> call.collective() == Collective.BARRIER);
  }

  SubmittedOperation operation() {
    return operation;
  }

  /** What is voted on. */
  ImmutableList<CollectiveCall> calls() {
    return operation.calls();
  }

  /**
   * A barrier has nothing to move: the vote is where the ranks meet, so none votes before its
   * stream is there.
   */
  boolean mayVote() {
    return operation.hasBegun() || !meets;
  }

  /** Whether tasks have been started. */
  boolean isUnderWay() {
    return started > 0;
  }

  boolean hasMore() {
    return started < runs.length && !operation.isCallers();
  }

  /** Whether its caller is to make its call, or is in it: what comes later starts after that. */
  boolean isHeldByCaller() {
    return operation.isCallers() && !operation.handoff().orElseThrow().hasReturned();
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
    if (hasMore() || isHeldByCaller()) {
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

  String heldUpBy() {
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
