// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.reshard;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.MeshAxis.Chunks;
import io.tombolo.tensors.layout.Place;
import io.tombolo.tensors.layout.Shard;
import io.tombolo.tensors.layout.TensorLayout;
import java.util.List;
import java.util.Optional;

/**
 * The plan that brings a whole tensor together in one place: each element comes once, from one of
 * the nearest ranks that have it. Replicas that are equally near each bring a part of what they
 * hold. Immutable.
 */
public final class Assembly {
  private final ImmutableListMultimap<Integer, Box> parts;
  private final Optional<Box> gap;

  private Assembly(ImmutableListMultimap<Integer, Box> parts, Optional<Box> gap) {
    this.parts = parts;
    this.gap = gap;
  }

  /** The plan that brings what ranks have of a tensor to {@code place}. */
  public static Assembly of(TensorLayout from, Place place) {
    List<Cell> cells = Cells.of(from.shards());
    ImmutableListMultimap.Builder<Integer, Box> parts = ImmutableListMultimap.builder();
    long elements = 0;
    for (Cell cell : cells) {
      share(cell.box(), cell.nearestTo(place), parts);
      elements += cell.box().elements();
    }
    boolean complete = elements == from.whole().elements();
    return new Assembly(parts.build(), complete ? Optional.empty() : firstGap(from, cells));
  }

  /** What {@code rank} brings: disjoint boxes, none empty. */
  public ImmutableList<Box> from(int rank) {
    return parts.get(rank);
  }

  /** A part of the tensor that no rank has; empty if all of it comes together. */
  public Optional<Box> gap() {
    return gap;
  }

  private static void share(
      Box box, List<Shard> holders, ImmutableListMultimap.Builder<Integer, Box> parts) {
    Chunks chunks = new Chunks(holders.size());
    int dim = dimensionFor(holders.size(), box);
    for (int index = 0; index < holders.size(); index++) {
      Box part = holders.size() == 1 ? box : chunk(box, dim, chunks, index);
      if (!part.isEmpty()) {
        parts.put(holders.get(index).rank(), part);
      }
    }
  }

  /**
   * The first dimension that can be cut in so many parts; else the longest, -1 if there is none.
   */
  private static int dimensionFor(int count, Box box) {
    int best = -1;
    for (int dim = 0; dim < box.dimensions(); dim++) {
      if (box.length(dim) >= count) {
        return dim;
      }
      if (best < 0 || box.length(dim) > box.length(best)) {
        best = dim;
      }
    }
    return best;
  }

  /**
   * Part {@code index} of {@code box}; a scalar is its own first part, and the others are empty.
   */
  private static Box chunk(Box box, int dim, Chunks chunks, int index) {
    if (dim < 0) {
      return index == 0 ? box : Box.whole(0);
    }
    return box.cut(
        dim,
        box.from(dim) + chunks.begin(index, box.length(dim)),
        box.from(dim) + chunks.begin(index + 1, box.length(dim)));
  }

  private static Optional<Box> firstGap(TensorLayout from, List<Cell> cells) {
    return from.whole().minusAll(cells.stream().map(Cell::box).toList()).stream().findFirst();
  }
}
