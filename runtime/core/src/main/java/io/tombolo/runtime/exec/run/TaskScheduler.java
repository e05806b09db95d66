// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.runtime.exec.engine.CopyEngine;
import io.tombolo.runtime.exec.engine.Engine;
import io.tombolo.runtime.exec.memory.Arena;
import io.tombolo.runtime.exec.memory.Stage;
import io.tombolo.runtime.exec.memory.TaskMemory;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.submit.Stopwatch;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.plan.Resource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** Where tasks run side by side, each in memory of its own. Used by the agent's thread only. */
final class TaskScheduler implements AutoCloseable {
  /** Tasks at once: enough to overlap the phases, and what bounds the memory lent out. */
  private static final int MAX_TASKS = 4;

  private final DeviceAdaptor device;
  private final CopyEngine copies;
  private final WindowCopies windowCopies;
  private final StepScheduler steps;
  private final List<TaskRun> runs = new ArrayList<>(MAX_TASKS);
  private final List<TaskMemory> memories = new ArrayList<>(MAX_TASKS);
  private final Deque<TaskMemory> free = new ArrayDeque<>(MAX_TASKS);
  private final ProgramCache programs = new ProgramCache();
  private final AtomicLong messages = new AtomicLong();

  TaskScheduler(DeviceAdaptor device, CopyEngine copies, Function<Resource, Engine> engineOf) {
    this.device = device;
    this.copies = copies;
    this.windowCopies = new WindowCopies(device);
    this.steps = new StepScheduler(engineOf);
  }

  boolean hasRoom() {
    return runs.size() < MAX_TASKS;
  }

  /** Starts {@code task}, timed by {@code watch}, behind all that were started before. */
  TaskRun start(Task task, Stopwatch watch) {
    Program program = programs.of(task.plan());
    TaskRun run = new TaskRun(task, program, borrow(), windowCopies, watch);
    steps.add(run.program());
    runs.add(run);
    messages.addAndGet(program.messages());
    return run;
  }

  private TaskMemory borrow() {
    if (free.isEmpty()) {
      TaskMemory memory =
          new TaskMemory(
              new Stage(device), new Arena(device::allocate), new Arena(device::allocate));
      memories.add(memory);
      return memory;
    }
    return free.pop();
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
        free.push(run.leave());
      } else {
        i++;
      }
    }
    return moved;
  }

  @Override
  public void close() {
    windowCopies.close();
    memories.forEach(TaskMemory::close);
  }
}
