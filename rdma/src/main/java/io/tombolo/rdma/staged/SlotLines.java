// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import java.util.ArrayDeque;
import java.util.function.IntPredicate;

/**
 * Slot numbers that wait in line, a line for each of those whose slots they are: one that waits for
 * ever holds up those behind it, and no other line. Allocates nothing once all lines have waited.
 */
public final class SlotLines {
  private static final int NONE = -1;

  private final int[] behind;
  private final ArrayDeque<Line> waiting = new ArrayDeque<>();

  /** For slots up to {@code capacity}. */
  public SlotLines(int capacity) {
    behind = new int[capacity];
  }

  /** The slots of one, first in, first out; in one {@link SlotLines} only. */
  public static final class Line {
    private int first = NONE;
    private int last;
  }

  /** Whether no slot waits. */
  public boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Appends {@code slot}, which waits nowhere, to {@code line}. */
  public void add(Line line, int slot) {
    behind[slot] = NONE;
    if (line.first == NONE) {
      line.first = slot;
      waiting.add(line);
    } else {
      behind[line.last] = slot;
    }
    line.last = slot;
  }

  /**
   * Takes out of each line the slots at its front of which {@code isOver} holds, and asks of none
   * behind one of which it does not; how many those were. What {@code isOver} adds may be asked of
   * in the same call.
   */
  public int removeWhile(IntPredicate isOver) {
    int removed = 0;
    for (int left = waiting.size(); left > 0; left--) {
      Line line = waiting.element();
      for (; line.first != NONE && isOver.test(line.first); removed++) {
        line.first = behind[line.first];
      }
      waiting.remove();
      if (line.first != NONE) {
        waiting.add(line);
      }
    }
    return removed;
  }
}
