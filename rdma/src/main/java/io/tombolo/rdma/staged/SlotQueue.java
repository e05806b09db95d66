// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

/** Slot numbers, first in, first out; bounded by the number of slots; allocates once. */
public final class SlotQueue {
  private final int[] slots;
  private int first;
  private int size;

  /** An empty queue for {@code capacity} slots. */
  public SlotQueue(int capacity) {
    slots = new int[capacity];
  }

  /** The queue of all slots there are. */
  public static SlotQueue full(int capacity) {
    SlotQueue queue = new SlotQueue(capacity);
    for (int slot = 0; slot < capacity; slot++) {
      queue.add(slot);
    }
    return queue;
  }

  /** How many there are. */
  public int size() {
    return size;
  }

  /** Whether there is none. */
  public boolean isEmpty() {
    return size == 0;
  }

  /** Appends one. */
  public void add(int slot) {
    if (size == slots.length) {
      throw new IllegalStateException("a slot was given back twice");
    }
    slots[(first + size++) % slots.length] = slot;
  }

  /** The {@code i}-th from the front. */
  public int get(int i) {
    return slots[(first + i) % slots.length];
  }

  /** Takes the first one out. */
  public int remove() {
    int slot = slots[first];
    first = (first + 1) % slots.length;
    size--;
    return slot;
  }
}
