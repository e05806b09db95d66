// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.work.WorkState;
import io.tombolo.runtime.work.WorkState.Phase;
import java.lang.ref.Cleaner;

/**
 * The states of operations, as words that native code reads without asking Java.
 *
 * <p>Operation {@code n} has word {@code n mod slots}. All operations hold on to this object, so
 * the words stay readable until the last of them and their communicator are collected: nobody who
 * holds an operation reads freed memory.
 */
final class WorkStates {
  private static final Cleaner CLEANER = Cleaner.create();

  /** A cache line each: the reader polls its own. */
  private static final int LINE_BYTES = 64;

  private final LongCell[] words;

  WorkStates(int slots) {
    NativeMemory memory = NativeMemory.allocate((long) slots * LINE_BYTES);
    words = new LongCell[slots];
    for (int slot = 0; slot < slots; slot++) {
      words[slot] = memory.cell((long) slot * LINE_BYTES);
    }
    CLEANER.register(this, memory::close);
  }

  long address(long sequence) {
    return word(sequence).address();
  }

  void set(long sequence, Phase phase) {
    word(sequence).setRelease(WorkState.encode(phase, 0, sequence));
  }

  void fail(long sequence, TomboloException error, boolean holdsBuffers) {
    Phase phase = holdsBuffers ? Phase.FAILED_HOLDING_BUFFERS : Phase.FAILED;
    word(sequence).setRelease(WorkState.encode(phase, WorkState.kindOf(error), sequence));
  }

  private LongCell word(long sequence) {
    return words[(int) (sequence % words.length)];
  }
}
