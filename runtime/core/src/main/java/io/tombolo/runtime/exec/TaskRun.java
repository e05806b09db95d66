package io.tombolo.runtime.exec;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.exec.Packing.Piece;

/** One task under way: packing if it packs, its program, and unpacking. */
final class TaskRun {
  private final Task task;
  private final Workplace place;
  private final CopyEngine copies;
  private final ProgramRun program;
  private final long packed;
  private Phase phase;

  private enum Phase {
    TO_PACK,
    PACKING,
    RUNNING,
    UNPACKING,
    DONE
  }

  /** A run in {@code place}, which is its own until it is done. */
  TaskRun(Task task, Program program, Workplace place, CopyEngine copies) {
    this.task = task;
    this.place = place;
    this.copies = copies;
    this.packed = task.packing().map(each -> place.packed().reserve(each.sizeBytes())).orElse(0L);
    this.program = new ProgramRun(program, task.bind(packed, place.stage(), place.scratch()));
    this.phase = task.packing().isPresent() ? Phase.TO_PACK : Phase.RUNNING;
    program().hold(phase == Phase.TO_PACK);
  }

  /** What runs between packing and unpacking; it goes to its lines at once, and waits there. */
  ProgramRun program() {
    return program;
  }

  /** The memory to lend to the next. */
  Workplace place() {
    return place;
  }

  boolean isDone() {
    return phase == Phase.DONE;
  }

  /** Does what can be done besides the program's steps; returns how much it was. */
  int work() {
    return switch (phase) {
      case TO_PACK -> start(task.packing().orElseThrow().in(), true, Phase.PACKING);
      case RUNNING -> afterProgram();
      case PACKING, UNPACKING -> copies.poll();
      case DONE -> 0;
    };
  }

  private int afterProgram() {
    if (!program.isDone()) {
      return 0;
    }
    if (task.packing().isPresent()) {
      return start(task.packing().get().out(), false, Phase.UNPACKING);
    }
    phase = Phase.DONE;
    return 1;
  }

  private int start(ImmutableList<Piece> pieces, boolean pack, Phase next) {
    if (!copies.start(pieces, packed, pack, step -> copied(pack))) {
      return 0;
    }
    phase = next;
    return 1;
  }

  private void copied(boolean pack) {
    phase = pack ? Phase.RUNNING : Phase.DONE;
    program.hold(false);
  }
}
