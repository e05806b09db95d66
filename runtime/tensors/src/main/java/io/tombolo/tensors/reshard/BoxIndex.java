// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.reshard;

import io.tombolo.tensors.layout.Box;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Finds what overlaps a box, without looking at everything: items are sorted along the dimension in
 * which they have the most different beginnings.
 */
final class BoxIndex<T> {
  private final Function<T, Box> boxOf;
  private final int dim;
  private final List<T> items;
  private final long[] furthest;

  /** An index of those of {@code all} that are not empty. */
  BoxIndex(List<T> all, Function<T, Box> boxOf) {
    this.boxOf = boxOf;
    List<T> sorted = new ArrayList<>(all);
    sorted.removeIf(item -> boxOf.apply(item).isEmpty());
    this.dim = sharpest(sorted);
    if (dim >= 0) {
      sorted.sort(Comparator.comparingLong(item -> boxOf.apply(item).from(dim)));
    }
    this.items = sorted;
    this.furthest = new long[sorted.size()];
    long end = 0;
    for (int i = 0; i < furthest.length && dim >= 0; i++) {
      end = Math.max(end, boxOf.apply(sorted.get(i)).to(dim));
      furthest[i] = end;
    }
  }

  /** The dimension in which items begin at the most places; -1 for items without dimensions. */
  private int sharpest(List<T> sorted) {
    int best = -1;
    long most = 0;
    int dimensions = sorted.isEmpty() ? 0 : boxOf.apply(sorted.get(0)).dimensions();
    for (int d = 0; d < dimensions; d++) {
      int each = d;
      long beginnings =
          sorted.stream().mapToLong(item -> boxOf.apply(item).from(each)).distinct().count();
      if (beginnings > most) {
        most = beginnings;
        best = d;
      }
    }
    return best;
  }

  /** Shows {@code visitor} every item that has elements in common with {@code box}. */
  void forEachOverlap(Box box, Consumer<T> visitor) {
    for (int i = dim < 0 ? 0 : firstThatReaches(box.from(dim)); i < items.size(); i++) {
      T item = items.get(i);
      Box other = boxOf.apply(item);
      if (dim >= 0 && other.from(dim) >= box.to(dim)) {
        return;
      }
      if (other.overlap(box) > 0) {
        visitor.accept(item);
      }
    }
  }

  /** Before it, all items end at {@code index} or sooner. */
  private int firstThatReaches(long index) {
    int low = 0;
    int high = furthest.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (furthest[middle] <= index) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
