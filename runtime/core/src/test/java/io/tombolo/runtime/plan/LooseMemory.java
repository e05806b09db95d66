// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** One rank's memory in numbers: its buffers side by side, with poisoned gaps between them. */
final class LooseMemory {
  private static final long POISON = 0x5EED_DEAD_0000_0001L;
  private static final int GAP = 16;

  private final Map<Space, Integer> base = new EnumMap<>(Space.class);
  private final long[] cells;
  private final long[] wanted;
  private final int callersCells;
  private final List<Runnable> posted = new ArrayList<>();

  /** The memory before a run: inputs given, all else poisoned. */
  LooseMemory(Plan plan, int size, CallOracle oracle) {
    CollectiveCall call = plan.call();
    int rank = plan.rank();
    int inputs = (int) call.inputElements(rank, size);
    int outputs = (int) call.outputElements(rank, size);
    int own = (int) call.inPlaceOffset(rank);
    int next = GAP;
    base.put(Space.INPUT, next + (call.inPlace() && inputs <= outputs ? own : 0));
    next += inputs <= outputs && call.inPlace() ? 0 : inputs + GAP;
    if (call.inPlace()) {
      base.put(Space.OUTPUT, GAP + (inputs <= outputs ? 0 : own));
      next = GAP + Math.max(inputs, outputs) + GAP;
    } else {
      base.put(Space.OUTPUT, next);
      next += outputs + GAP;
    }
    this.callersCells = next;
    base.put(Space.STAGE, next);
    next += (int) plan.stageElements() + GAP;
    base.put(Space.SCRATCH, next);
    next += (int) plan.scratchElements() + GAP;
    this.cells = new long[next];
    Arrays.fill(cells, POISON);
    oracle.inputs(rank, (i, value) -> cells[base.get(Space.INPUT) + (int) i] = value);
    this.wanted = Arrays.copyOf(cells, callersCells);
    oracle.outputs(rank, (i, value) -> wanted[base.get(Space.OUTPUT) + (int) i] = value);
  }

  long get(Range range, int index) {
    return cells[base.get(range.space()) + (int) range.offset() + index];
  }

  void set(Range range, int index, long value) {
    cells[base.get(range.space()) + (int) range.offset() + index] = value;
  }

  long[] read(Range range) {
    long[] values = new long[(int) range.length()];
    Arrays.setAll(values, i -> get(range, i));
    return values;
  }

  void write(Range range, long[] values) {
    for (int i = 0; i < values.length; i++) {
      set(range, i, values[i]);
    }
  }

  /** As a NIC writes: to a device's memory it gets when the device is flushed. */
  void post(Range range, long[] values) {
    if (range.space() == Space.STAGE) {
      write(range, values);
    } else {
      posted.add(() -> write(range, values));
    }
  }

  /** What NICs wrote arrives, in its order. */
  void flush() {
    posted.forEach(Runnable::run);
    posted.clear();
  }

  /** Whether outputs are as they should be, and all else of the caller's is untouched. */
  boolean isRight() {
    return Arrays.equals(wanted, 0, callersCells, cells, 0, callersCells);
  }
}
