package io.tombolo.runtime.exec;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.runtime.plan.Resource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Where tasks run side by side, each in a workplace of its own. Used by the agent's thread only.
 */
final class Runway implements AutoCloseable {
  /** Tasks at once: enough to overlap the phases, and what bounds the memory lent out. */
  private static final int MOST = 4;

  private final DeviceAdaptor device;
  private final CopyEngine copies;
  private final WindowCopies windowCopies;
  private final Lines lines;
  private final List<TaskRun> runs = new ArrayList<>(MOST);
  private final List<Workplace> places = new ArrayList<>(MOST);
  private final Deque<Workplace> free = new ArrayDeque<>(MOST);
  private final Programs programs = new Programs();
  private final AtomicLong messages = new AtomicLong();

  Runway(DeviceAdaptor device, CopyEngine copies, Function<Resource, Engine> engineOf) {
    this.device = device;
    this.copies = copies;
    this.windowCopies = new WindowCopies(device);
    this.lines = new Lines(engineOf);
  }

  boolean hasRoom() {
    return runs.size() < MOST;
  }

  /** Starts {@code task}, timed by {@code watch}, behind all that were started before. */
  TaskRun start(Task task, Stopwatch watch) {
    Program program = programs.of(task.plan());
    TaskRun run = new TaskRun(task, program, borrow(), windowCopies, watch);
    lines.add(run.program());
    runs.add(run);
    messages.addAndGet(program.messages());
    return run;
  }

  private Workplace borrow() {
    if (free.isEmpty()) {
      Workplace place =
          new Workplace(
              new Stage(device), new Arena(device::allocate), new Arena(device::allocate));
      places.add(place);
      return place;
    }
    return free.pop();
  }

  /** Messages that the tasks started so far send. Thread-safe. */
  long messages() {
    return messages.get();
  }

  /** Does what can be done without waiting; returns how much it was. */
  int work() {
    int moved = lines.work();
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
    places.forEach(Workplace::close);
  }
}
