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
  private final ArrayDeque<Line> lines = new ArrayDeque<>();
  private int size;

  /** For slots up to {@code capacity}. */
  public SlotLines(int capacity) {
    behind = new int[capacity];
  }

  /** The slots of one, first in, first out; in one {@link SlotLines} only. */
  public static final class Line {
    private int first = NONE;
    private int last;
    private boolean isListed;
  }

  /** Whether no slot waits. */
  public boolean isEmpty() {
    return size == 0;
  }

  /** Appends {@code slot}, which waits nowhere, to {@code line}. */
  public void add(Line line, int slot) {
    behind[slot] = NONE;
    if (line.first == NONE) {
      line.first = slot;
    } else {
      behind[line.last] = slot;
    }
    line.last = slot;
    size++;
    if (!line.isListed) {
      lines.add(line);
      line.isListed = true;
    }
  }

  /**
   * Takes out of each line the slots at its front of which {@code isOver} holds, and asks of none
   * behind one of which it does not; how many those were. What {@code isOver} adds may be asked of
   * in the same call.
   */
  public int removeWhile(IntPredicate isOver) {
    int removed = 0;
    for (int left = lines.size(); left > 0; left--) {
      Line line = lines.element();
      removed += removeWhile(line, isOver);
      lines.remove();
      line.isListed = line.first != NONE;
      if (line.isListed) {
        lines.add(line);
      }
    }
    return removed;
  }

  /** Likewise, of {@code line} alone. */
  public int removeWhile(Line line, IntPredicate isOver) {
    int removed = 0;
    for (; line.first != NONE && isOver.test(line.first); removed++) {
      line.first = behind[line.first];
      size--;
    }
    return removed;
  }
}
