// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.layout;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * Who holds what of one tensor. Parts may be uneven, overlap, and be held by several ranks.
 *
 * @param whole the whole tensor
 * @param shards what each rank holds; the n-th is rank n's
 */
public record TensorLayout(Box whole, ImmutableList<Shard> shards) {
  /** Checks that the shards are in the order of their ranks, and inside the tensor. */
  public TensorLayout {
    for (int rank = 0; rank < shards.size(); rank++) {
      Shard shard = shards.get(rank);
      checkArgument(shard.rank() == rank, "the shard of rank %s is number %s", shard.rank(), rank);
      checkArgument(
          shard.box().dimensions() == whole.dimensions() && whole.contains(shard.box()),
          "rank %s holds %s of a tensor %s",
          rank,
          shard.box(),
          whole);
    }
  }

  /**
   * The layout of a tensor over a mesh of ranks, as torch's DTensor spreads one over a DeviceMesh.
   *
   * @param whole the tensor
   * @param axes of the mesh, the slowest first: ranks count up along the last
   * @param places where each rank lives
   */
  public static TensorLayout ofMesh(Box whole, List<MeshAxis> axes, List<Place> places) {
    List<Box> boxes = new Mesh(axes).boxes(whole);
    checkArgument(
        boxes.size() == places.size(), "%s places for %s ranks", places.size(), boxes.size());
    ImmutableList.Builder<Shard> shards = ImmutableList.builderWithExpectedSize(boxes.size());
    for (int rank = 0; rank < boxes.size(); rank++) {
      shards.add(new Shard(rank, places.get(rank), boxes.get(rank)));
    }
    return new TensorLayout(whole, shards.build());
  }

  /** The number of ranks. */
  public int size() {
    return shards.size();
  }
}
