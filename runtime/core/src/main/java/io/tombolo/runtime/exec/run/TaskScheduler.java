// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.runtime.exec.engine.CopyEngine;
import io.tombolo.runtime.exec.engine.Engine;
import io.tombolo.runtime.exec.memory.TaskMemory;
import io.tombolo.runtime.exec.memory.TaskMemoryPool;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.submit.Stopwatch;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.plan.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Where tasks run side by side, each in memory of its own. Callers {@linkplain #reserve reserve};
 * the rest is for the agent's thread.
 */
final class TaskScheduler implements AutoCloseable {
  /** Tasks at once: enough to overlap the phases, and what bounds the memory lent out. */
  private static final int MAX_TASKS = 4;

  private final CopyEngine copies;
  private final WindowCopies windowCopies;
  private final StepScheduler steps;
  private final List<TaskRun> runs = new ArrayList<>(MAX_TASKS);
  private final TaskMemoryPool memories;
  private final ProgramCache programs = new ProgramCache();
  private final AtomicLong messages = new AtomicLong();

  /** Tasks in memory of {@code device}; the engines, and all that copies, stay the caller's. */
  TaskScheduler(
      DeviceAdaptor device,
      CopyEngine copies,
      WindowCopies windowCopies,
      Function<Resource, Engine> engineOf) {
    this.copies = copies;
    this.windowCopies = windowCopies;
    this.memories = new TaskMemoryPool(device, MAX_TASKS);
    this.steps = new StepScheduler(engineOf);
  }

  /**
   * Makes what {@code tasks} need, before a stream is held for them: that may wait for all work of
   * the device. If not all can be had, none is kept.
   */
  void reserve(List<Task> tasks) {
    int reserved = 0;
    try {
      for (; reserved < tasks.size(); reserved++) {
        reserve(tasks.get(reserved));
      }
    } catch (RuntimeException e) {
      cancel(tasks.subList(0, reserved));
      throw e;
    }
  }

  private void reserve(Task task) {
    memories.reserve(task.stageBytes(), task.scratchBytes(), task.packedBytes());
  }

  /** What {@code tasks} were to do is not done. */
  void cancel(List<Task> tasks) {
    tasks.forEach(
        task -> memories.cancel(task.stageBytes(), task.scratchBytes(), task.packedBytes()));
  }

  boolean hasRoom(Task task) {
    return runs.size() < MAX_TASKS
        && memories.canLend(task.stageBytes(), task.scratchBytes(), task.packedBytes());
  }

  /** Starts {@code task}, timed by {@code watch}, behind all that were started before. */
  TaskRun start(Task task, Stopwatch watch) {
    Program program = programs.of(task.plan());
    TaskMemory memory = memories.lend(task.stageBytes(), task.scratchBytes(), task.packedBytes());
    TaskRun run = new TaskRun(task, program, memory, windowCopies, watch);
    steps.add(run.program());
    runs.add(run);
    messages.addAndGet(program.messages());
    return run;
  }

  /** Messages that the tasks started so far send. Thread-safe. */
  long messages() {
    return messages.get();
  }

  /** Does what can be done without waiting; returns how much it was. */
  int work() {
    int moved = steps.work();
    for (int i = 0; i < runs.size(); ) {
      TaskRun run = runs.get(i);
      moved += run.work(copies);
      if (run.isDone()) {
        runs.remove(i);
        memories.giveBack(run.leave());
      } else {
        i++;
      }
    }
    return moved;
  }

  /** As {@link TaskMemoryPool#closeUnlent}: here tasks may have been under way. */
  long closeUnlent() {
    return memories.closeUnlent();
  }

  @Override
  public void close() {
    memories.close();
  }
}
