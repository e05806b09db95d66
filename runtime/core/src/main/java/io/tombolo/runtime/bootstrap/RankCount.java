// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import io.tombolo.runtime.store.Store;

/**
 * How many of a group's ranks have come so far as each says once, in numbers in a store: a tree of
 * them, as a store may have no better way to add than to try until nobody else was quicker. Waits
 * for nobody. Thread-safe.
 *
 * @param place where the numbers are
 * @param name what is counted, of one count in that place
 * @param size how many ranks there are
 */
public record RankCount(Store place, String name, int size) {
  /** So many add to one number at most. */
  static final int FAN_OUT = 16;

  /** Counts {@code rank}; whether it is the last of all. */
  public boolean add(int rank) {
    int number = rank;
    int count = size;
    for (int level = 0; ; level++) {
      int node = number / FAN_OUT;
      int below = Math.min(FAN_OUT, count - node * FAN_OUT);
      if (place.add(key(level, node), 1) < below) {
        return false;
      }
      if (count <= FAN_OUT) {
        return true;
      }
      number = node;
      count = nodes(count);
    }
  }

  /** Removes the count, of which nobody makes use any more. */
  public void clear() {
    int level = 0;
    for (int count = nodes(size); ; count = nodes(count)) {
      for (int node = 0; node < count; node++) {
        place.delete(key(level, node));
      }
      if (count == 1) {
        return;
      }
      level++;
    }
  }

  private static int nodes(int below) {
    return (below + FAN_OUT - 1) / FAN_OUT;
  }

  private String key(int level, int node) {
    return name + "/" + level + "-" + node;
  }
}
