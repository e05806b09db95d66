// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.runtime.exec.vote.CallCheck;
import io.tombolo.runtime.work.WorkStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Starts what may start, in the order of the calls: tasks, by the {@link TaskScheduler}, and the
 * calls of callers that carry their operations out themselves. Used by one thread at a time, as the
 * agent sees to.
 */
final class TaskStarter {
  private final CallCheck check;
  private final Libraries libraries;
  private final TaskScheduler taskScheduler;
  private final InFlight inFlight;
  private final Voting voting;
  private final AtomicInteger mostAtOnce = new AtomicInteger();

  /** Of the operations of {@code inFlight}. */
  TaskStarter(
      CallCheck check,
      Libraries libraries,
      TaskScheduler taskScheduler,
      InFlight inFlight,
      Voting voting) {
    this.check = check;
    this.libraries = libraries;
    this.taskScheduler = taskScheduler;
    this.inFlight = inFlight;
    this.voting = voting;
  }

  /** Starts what it can; returns how many tasks that were. */
  int start() {
    int started = 0;
    for (int i = 0; i < inFlight.size(); i++) {
      InFlightOperation entry = inFlight.get(i);
      while (entry.hasMore() && mayStart(entry)) {
        entry.operation().watch().end(WorkStage.START);
        entry.started(taskScheduler.start(entry.next(), entry.operation().watch()));
        started++;
      }
      releaseCaller(entry);
      if (entry.hasMore() || entry.operation().isHeldByCaller() || inFlight.isOnItsStream(entry)) {
        break;
      }
    }
    if (started > 0) {
      mostAtOnce.accumulateAndGet(underWay(), Math::max);
    }
    return started;
  }

  /** Has the caller make its call, as {@link #mayStart} has the agent start a task. */
  private void releaseCaller(InFlightOperation entry) {
    if (entry.operation().isOnStream()) {
      entry.raiseThrown();
    } else if (entry.operation().isHeldByCaller()
        && entry.operation().hasBegun()
        && check.agreed(entry.operation().sequence())) {
      entry.operation().handoff().orElseThrow().agree();
    }
  }

  private boolean mayStart(InFlightOperation entry) {
    boolean mustAgree = libraries.isMismatchFatal() || voting.lacksWord();
    return entry.operation().hasBegun()
        && (!mustAgree || check.agreed(entry.operation().sequence()))
        && taskScheduler.hasRoom(entry.next())
        && entry.operation().touchBuffers();
  }

  private int underWay() {
    int count = 0;
    for (int i = 0; i < inFlight.size(); i++) {
      count += inFlight.get(i).isUnderWay() && !inFlight.get(i).isDone() ? 1 : 0;
    }
    return count;
  }

  /** As {@link io.tombolo.runtime.work.Activity#mostAtOnce}. Thread-safe. */
  int mostAtOnce() {
    return mostAtOnce.get();
  }
}
