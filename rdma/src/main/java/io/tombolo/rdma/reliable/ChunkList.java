// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import java.util.Arrays;

/** A first-in first-out list of slot numbers with removal from the middle; allocates once. */
final class ChunkList {
  /** What {@link #head} and {@link #after} answer at the end. */
  static final int NONE = -1;

  private final int[] next;
  private final int[] previous;
  private int head = NONE;
  private int tail = NONE;
  private int size;

  ChunkList(int capacity) {
    next = new int[capacity];
    previous = new int[capacity];
    Arrays.fill(next, NONE);
    Arrays.fill(previous, NONE);
  }

  void append(int slot) {
    previous[slot] = tail;
    next[slot] = NONE;
    if (tail == NONE) {
      head = slot;
    } else {
      next[tail] = slot;
    }
    tail = slot;
    size++;
  }

  /** Takes out {@code slot}, which must be in the list. */
  void remove(int slot) {
    if (previous[slot] == NONE) {
      head = next[slot];
    } else {
      next[previous[slot]] = next[slot];
    }
    if (next[slot] == NONE) {
      tail = previous[slot];
    } else {
      previous[next[slot]] = previous[slot];
    }
    size--;
  }

  int head() {
    return head;
  }

  int tail() {
    return tail;
  }

  int after(int slot) {
    return next[slot];
  }

  int size() {
    return size;
  }
}
