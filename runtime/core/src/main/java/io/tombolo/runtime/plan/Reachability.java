// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import java.util.Arrays;

/**
 * Answers which points of an {@link Order} must come before which others, by searching between
 * them: of a program, those that are asked about lie close together.
 */
final class Reachability {
  private final Order order;
  private final int[] position;
  private final int[] seenIn;
  private final int[] queue;
  private int search;

  /**
   * Answers about {@code order}.
   *
   * @param sorted what {@link Order#sorted} gave, of all points
   */
  Reachability(Order order, int[] sorted) {
    this.order = order;
    this.position = new int[sorted.length];
    this.seenIn = new int[sorted.length];
    this.queue = new int[sorted.length];
    for (int i = 0; i < sorted.length; i++) {
      position[sorted[i]] = i;
    }
    Arrays.fill(seenIn, -1);
  }

  /** The place of {@code point} in one order that respects all edges. */
  int position(int point) {
    return position[point];
  }

  /** Whether {@code earlier} comes before {@code later} in every order. */
  boolean isBefore(int earlier, int later) {
    search++;
    int found = 0;
    queue[found++] = earlier;
    for (int done = 0; done < found; done++) {
      for (int edge = order.firstEdge(queue[done]); edge != Order.NONE; edge = order.next(edge)) {
        int point = order.target(edge);
        if (point == later) {
          return true;
        }
        if (position[point] < position[later] && seenIn[point] != search) {
          seenIn[point] = search;
          queue[found++] = point;
        }
      }
    }
    return false;
  }
}
