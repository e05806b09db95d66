// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.layout;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import io.tombolo.tensors.layout.MeshAxis.Sharded;
import java.util.ArrayList;
import java.util.List;

/** The parts of the ranks of a mesh. */
final class Mesh {
  private static final int MAX_RANKS = 1 << 20;

  private final ImmutableList<MeshAxis> axes;
  private final int size;

  Mesh(List<MeshAxis> axes) {
    this.axes = ImmutableList.copyOf(axes);
    long ranks = 1;
    for (MeshAxis axis : axes) {
      ranks *= axis.size();
      checkArgument(ranks <= MAX_RANKS, "a mesh of more than %s ranks", MAX_RANKS);
    }
    this.size = (int) ranks;
  }

  /** Each rank's part of {@code whole}. */
  List<Box> boxes(Box whole) {
    List<Integer> order = order();
    List<Box> boxes = new ArrayList<>(size);
    for (int rank = 0; rank < size; rank++) {
      int[] coordinates = coordinates(rank);
      Box box = whole;
      for (int axis : order) {
        box = part(box, axes.get(axis), coordinates[axis]);
      }
      boxes.add(box);
    }
    return boxes;
  }

  private static Box part(Box box, MeshAxis axis, int coordinate) {
    if (!(axis instanceof Sharded sharded)) {
      return box;
    }
    int dim = sharded.dim();
    checkArgument(
        dim < box.dimensions(), "no dimension %s in a tensor of %s", dim, box.dimensions());
    long length = box.length(dim);
    return box.cut(
        dim,
        box.from(dim) + sharded.parts().begin(coordinate, length),
        box.from(dim) + sharded.parts().begin(coordinate + 1, length));
  }

  /** The order in which axes part the tensor: strided ones after all those that follow them. */
  private List<Integer> order() {
    List<Integer> first = new ArrayList<>();
    List<Integer> strided = new ArrayList<>();
    for (int axis = 0; axis < axes.size(); axis++) {
      boolean isStrided = axes.get(axis) instanceof Sharded sharded && sharded.strided();
      (isStrided ? strided : first).add(axis);
    }
    first.addAll(Lists.reverse(strided));
    return first;
  }

  private int[] coordinates(int rank) {
    int[] coordinates = new int[axes.size()];
    int rest = rank;
    for (int axis = axes.size() - 1; axis >= 0; axis--) {
      coordinates[axis] = rest % axes.get(axis).size();
      rest /= axes.get(axis).size();
    }
    return coordinates;
  }
}
