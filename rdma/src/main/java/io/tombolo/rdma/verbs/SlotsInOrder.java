// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/**
 * Of a queue that completes its requests in the order in which they were posted, as InfiniBand's
 * and RoCE's do: a completion stands for all requests before it, too, so not each has to ask for
 * one.
 */
final class SlotsInOrder implements PostedSlots {
  private final int[] slots;
  private long posted;
  private long completed;

  SlotsInOrder(int depth) {
    slots = new int[depth];
  }

  @Override
  public boolean hasRoom() {
    return posted - completed < slots.length;
  }

  @Override
  public boolean isEmpty() {
    return posted == completed;
  }

  @Override
  public long add(int slot) {
    slots[(int) (posted % slots.length)] = slot;
    return ++posted;
  }

  @Override
  public int flags() {
    return 0;
  }

  @Override
  public boolean complete(long number, Freed freed) {
    if (number > posted || number <= completed) {
      return false;
    }
    for (; completed < number; completed++) {
      freed.on(slots[(int) (completed % slots.length)]);
    }
    return true;
  }

  @Override
  public void free(Freed freed) {
    if (!isEmpty()) {
      complete(posted, freed);
    }
  }
}
