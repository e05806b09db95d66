// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.exec.engine.CopyEngine;
import io.tombolo.runtime.exec.memory.Packing.Piece;
import io.tombolo.runtime.exec.memory.TaskMemory;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.submit.Stopwatch;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.recorder.FlightStep;
import io.tombolo.runtime.work.WorkStage;

/** One task under way: packing if it packs, its program, and unpacking. */
final class TaskRun {
  private final Task task;
  private final TaskMemory memory;
  private final Program program;
  private final ProgramRun run;
  private Phase phase;

  private enum Phase {
    TO_PACK,
    PACKING,
    RUNNING,
    UNPACKING,
    DONE
  }

  /**
   * A run in {@code memory}, which is its own until it is done; channels copy device memory by
   * {@code windowCopies}.
   */
  TaskRun(
      Task task, Program program, TaskMemory memory, WindowCopies windowCopies, Stopwatch watch) {
    this.task = task;
    this.memory = memory;
    this.program = program;
    boolean packs = task.packing().isPresent();
    this.run = program.run(task.bind(memory, windowCopies), watch);
    this.phase = packs ? Phase.TO_PACK : Phase.RUNNING;
    run.hold(packs);
  }

  /** What runs between packing and unpacking; it is queued at once, and waits there. */
  ProgramRun program() {
    return run;
  }

  /** It is done: gives back what the next can use. Returns the memory that was lent to it. */
  TaskMemory leave() {
    run.watch().begin(WorkStage.FINISH);
    program.giveBack(run);
    return memory;
  }

  boolean isDone() {
    return phase == Phase.DONE;
  }

  /** The first of its steps that has not ended, as a word of {@link FlightStep}. */
  long step() {
    return isDone() ? FlightStep.allEnded(program.size()) : run.step();
  }

  /** Does what can be done besides the program's steps, by {@code copies}; returns how much. */
  int work(CopyEngine copies) {
    return switch (phase) {
      case TO_PACK -> start(copies, task.packing().orElseThrow().in(), true, Phase.PACKING);
      case RUNNING -> afterProgram(copies);
      case PACKING, UNPACKING -> copies.poll();
      case DONE -> 0;
    };
  }

  private int afterProgram(CopyEngine copies) {
    if (!run.isDone()) {
      return 0;
    }
    if (task.packing().isPresent()) {
      return start(copies, task.packing().get().out(), false, Phase.UNPACKING);
    }
    phase = Phase.DONE;
    return 1;
  }

  private int start(CopyEngine copies, ImmutableList<Piece> pieces, boolean pack, Phase next) {
    if (!copies.start(pieces, memory.packed().address(), pack, step -> copied(pack))) {
      return 0;
    }
    phase = next;
    return 1;
  }

  private void copied(boolean pack) {
    phase = pack ? Phase.RUNNING : Phase.DONE;
    run.hold(false);
  }
}
