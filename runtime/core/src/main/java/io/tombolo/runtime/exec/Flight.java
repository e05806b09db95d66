package io.tombolo.runtime.exec;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import java.util.ArrayList;
import java.util.List;

/** An operation that the {@link Executor} has taken in: its vote, and its tasks under way. */
final class Flight {
  private final Operation operation;
  private final ImmutableList<CollectiveCall> calls;
  private final List<TaskRun> runs = new ArrayList<>(1);
  private boolean voting;

  Flight(Operation operation) {
    this.operation = operation;
    this.calls = operation.calls();
  }

  Operation operation() {
    return operation;
  }

  /** What is voted on. */
  ImmutableList<CollectiveCall> calls() {
    return calls;
  }

  /**
   * A barrier has nothing to move: the vote is where the ranks meet, so none votes before its
   * stream is there.
   */
  boolean mayVote() {
    return operation.hasBegun() || calls.get(0).collective() != Collective.BARRIER;
  }

  boolean isVoting() {
    return voting;
  }

  void votes() {
    voting = true;
  }

  /** Whether tasks have been started. */
  boolean isUnderWay() {
    return !runs.isEmpty();
  }

  boolean hasMore() {
    return runs.size() < operation.tasks().size();
  }

  /** The next task to start. */
  Task next() {
    return operation.tasks().get(runs.size());
  }

  void started(TaskRun run) {
    runs.add(run);
  }

  /** Whether all its tasks have ended. */
  boolean isDone() {
    if (hasMore()) {
      return false;
    }
    for (TaskRun run : runs) {
      if (!run.isDone()) {
        return false;
      }
    }
    return true;
  }

  String heldUpBy() {
    return runs.stream()
        .filter(run -> !run.isDone())
        .map(run -> run.program().heldUpBy())
        .findFirst()
        .orElse("earlier operations");
  }
}
