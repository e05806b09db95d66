package io.tombolo.runtime.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;

/** A partial order under construction: points, and which must come before which. */
final class Order {
  private final List<List<Integer>> successors = new ArrayList<>();
  private final int[] predecessors;

  Order(int points) {
    for (int i = 0; i < points; i++) {
      successors.add(new ArrayList<>());
    }
    predecessors = new int[points];
  }

  Order before(int earlier, int later) {
    successors.get(earlier).add(later);
    predecessors[later]++;
    return this;
  }

  /**
   * All points in an order that respects every edge; shorter than the number of points if there is
   * a cycle.
   */
  List<Integer> sorted() {
    int[] missing = predecessors.clone();
    Deque<Integer> ready = new ArrayDeque<>();
    for (int point = 0; point < missing.length; point++) {
      if (missing[point] == 0) {
        ready.add(point);
      }
    }
    List<Integer> sorted = new ArrayList<>();
    while (!ready.isEmpty()) {
      int point = ready.poll();
      sorted.add(point);
      for (int next : successors.get(point)) {
        if (--missing[next] == 0) {
          ready.add(next);
        }
      }
    }
    return sorted;
  }

  /** For each point, the set of points that come before it in every order. */
  BitSet[] ancestors() {
    BitSet[] ancestors = new BitSet[predecessors.length];
    for (int point = 0; point < ancestors.length; point++) {
      ancestors[point] = new BitSet(ancestors.length);
    }
    for (int point : sorted()) {
      for (int next : successors.get(point)) {
        ancestors[next].or(ancestors[point]);
        ancestors[next].set(point);
      }
    }
    return ancestors;
  }
}
