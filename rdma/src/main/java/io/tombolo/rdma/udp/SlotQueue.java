package io.tombolo.rdma.udp;

/** Slot numbers, first in, first out; bounded by the number of slots; allocates once. */
final class SlotQueue {
  private final int[] slots;
  private int first;
  private int size;

  SlotQueue(int capacity) {
    slots = new int[capacity];
  }

  /** The queue of all slots there are. */
  static SlotQueue full(int capacity) {
    SlotQueue queue = new SlotQueue(capacity);
    for (int slot = 0; slot < capacity; slot++) {
      queue.add(slot);
    }
    return queue;
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  void add(int slot) {
    if (size == slots.length) {
      throw new IllegalStateException("a slot was given back twice");
    }
    slots[(first + size++) % slots.length] = slot;
  }

  /** The {@code i}-th from the front. */
  int get(int i) {
    return slots[(first + i) % slots.length];
  }

  int remove() {
    int slot = slots[first];
    first = (first + 1) % slots.length;
    size--;
    return slot;
  }
}
