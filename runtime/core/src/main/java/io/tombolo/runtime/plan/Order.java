// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import java.util.Arrays;

/** A partial order under construction: points, and which must come before which. */
final class Order {
  /** No edge. */
  static final int NONE = -1;

  /** Each point's edges form a list: the first edge of a point, and the next of an edge. */
  private final int[] first;

  private final int[] predecessors;
  private int[] next = new int[64];
  private int[] later = new int[64];
  private int edges;

  Order(int points) {
    first = new int[points];
    Arrays.fill(first, NONE);
    predecessors = new int[points];
  }

  /** The same order, to be made stricter. */
  Order copy() {
    Order copy = new Order(first.length);
    System.arraycopy(first, 0, copy.first, 0, first.length);
    System.arraycopy(predecessors, 0, copy.predecessors, 0, predecessors.length);
    copy.next = next.clone();
    copy.later = later.clone();
    copy.edges = edges;
    return copy;
  }

  Order before(int earlier, int later) {
    if (edges == next.length) {
      next = Arrays.copyOf(next, 2 * edges);
      this.later = Arrays.copyOf(this.later, 2 * edges);
    }
    next[edges] = first[earlier];
    this.later[edges] = later;
    first[earlier] = edges++;
    predecessors[later]++;
    return this;
  }

  /**
   * All points in an order that respects every edge; shorter than the number of points if there is
   * a cycle.
   */
  int[] sorted() {
    int[] missing = predecessors.clone();
    int[] sorted = new int[missing.length];
    int found = 0;
    for (int point = 0; point < missing.length; point++) {
      if (missing[point] == 0) {
        sorted[found++] = point;
      }
    }
    for (int done = 0; done < found; done++) {
      for (int edge = first[sorted[done]]; edge != NONE; edge = next[edge]) {
        if (--missing[later[edge]] == 0) {
          sorted[found++] = later[edge];
        }
      }
    }
    return Arrays.copyOf(sorted, found);
  }

  /** The first edge from {@code point}, or {@link #NONE}. */
  int firstEdge(int point) {
    return first[point];
  }

  /** The edge after {@code edge} from the same point, or {@link #NONE}. */
  int next(int edge) {
    return next[edge];
  }

  /** Where {@code edge} leads. */
  int target(int edge) {
    return later[edge];
  }
}
