// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.base.CellSpread;
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

  private final NativeMemory memory;
  private final CellSpread spread;

  /** Made as they are first used. */
  private final LongCell[] words;

  WorkStates(int slots) {
    spread = new CellSpread(slots);
    memory = NativeMemory.allocate(spread.sizeBytes());
    words = new LongCell[slots];
    NativeMemory ours = memory;
    CLEANER.register(this, ours::close);
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

  /** From any thread: it does no harm if two make the same. */
  private LongCell word(long sequence) {
    int slot = (int) (sequence % words.length);
    LongCell word = words[slot];
    if (word == null) {
      word = memory.cell(spread.offset(slot));
      words[slot] = word;
    }
    return word;
  }
}
