// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import java.util.function.Consumer;

/**
 * The links by a number of 32 bits: open addressing, so that looking one up for every packet
 * allocates nothing.
 */
final class LinkTable {
  private static final int FIRST_CAPACITY = 64;

  private int[] numbers = new int[FIRST_CAPACITY];
  private LossyLink[] links = new LossyLink[FIRST_CAPACITY];
  private int size;

  /** The link of {@code number}, or null. */
  LossyLink find(int number) {
    int at = slotOf(number);
    return links[at];
  }

  /** Adds a link whose number is new. */
  void put(int number, LossyLink link) {
    if (2 * (size + 1) > links.length) {
      grow();
    }
    int at = slotOf(number);
    size += links[at] == null ? 1 : 0;
    numbers[at] = number;
    links[at] = link;
  }

  /** Removes it, and moves those behind it up, so that they are still found. */
  void remove(int number) {
    int hole = slotOf(number);
    if (links[hole] == null) {
      return;
    }
    links[hole] = null;
    size--;
    for (int at = next(hole); links[at] != null; at = next(at)) {
      LossyLink moved = links[at];
      links[at] = null;
      int to = slotOf(numbers[at]);
      numbers[to] = numbers[at];
      links[to] = moved;
    }
  }

  /** Tells {@code action} of each link. */
  void forEach(Consumer<LossyLink> action) {
    for (LossyLink link : links) {
      if (link != null) {
        action.accept(link);
      }
    }
  }

  private int slotOf(int number) {
    int at = ((number * 0x9e3779b9) >>> 16) & (links.length - 1);
    while (links[at] != null && numbers[at] != number) {
      at = next(at);
    }
    return at;
  }

  private int next(int at) {
    return (at + 1) & (links.length - 1);
  }

  private void grow() {
    int[] oldNumbers = numbers;
    LossyLink[] oldLinks = links;
    numbers = new int[2 * oldNumbers.length];
    links = new LossyLink[2 * oldLinks.length];
    size = 0;
    for (int i = 0; i < oldLinks.length; i++) {
      if (oldLinks[i] != null) {
        put(oldNumbers[i], oldLinks[i]);
      }
    }
  }
}
