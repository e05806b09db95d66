// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.MeshAxis;
import io.tombolo.tensors.layout.MeshAxis.Chunks;
import io.tombolo.tensors.layout.MeshAxis.Replicated;
import io.tombolo.tensors.layout.MeshAxis.Sharded;
import io.tombolo.tensors.layout.Place;
import io.tombolo.tensors.layout.Shard;
import io.tombolo.tensors.layout.TensorLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Layouts drawn by lot, and parts of tensors taken element by element. */
final class Layouts {
  private Layouts() {}

  /** A layout in which each element has a rank: of a mesh, or of boxes that overlap anyhow. */
  static TensorLayout random(Box whole, int ranks, Random random) {
    if (random.nextInt(3) == 0) {
      return overlapping(whole, ranks, random);
    }
    List<MeshAxis> axes = new ArrayList<>();
    if (ranks == 4 && random.nextBoolean()) {
      axes.add(axis(whole, 2, random));
      axes.add(axis(whole, 2, random));
    } else if (ranks > 1) {
      axes.add(axis(whole, ranks, random));
    }
    List<Place> places = IntStream.range(0, ranks).mapToObj(Layouts::place).toList();
    return TensorLayout.ofMesh(whole, axes, places);
  }

  private static MeshAxis axis(Box whole, int size, Random random) {
    if (whole.dimensions() == 0 || random.nextInt(4) == 0) {
      return new Replicated(size);
    }
    return new Sharded(random.nextInt(whole.dimensions()), new Chunks(size), false);
  }

  private static TensorLayout overlapping(Box whole, int ranks, Random random) {
    int complete = random.nextInt(ranks);
    ImmutableList.Builder<Shard> shards = ImmutableList.builder();
    for (int rank = 0; rank < ranks; rank++) {
      Box box = rank == complete ? whole : part(whole, random);
      shards.add(new Shard(rank, place(rank), box));
    }
    return new TensorLayout(whole, shards.build());
  }

  private static Box part(Box whole, Random random) {
    Box part = whole;
    for (int dim = 0; dim < whole.dimensions(); dim++) {
      int one = random.nextInt((int) whole.length(dim) + 1);
      int other = random.nextInt((int) whole.length(dim) + 1);
      part = part.cut(dim, Math.min(one, other), Math.max(one, other));
    }
    return part;
  }

  private static Place place(int rank) {
    return new Place("process " + rank, "host", "vendor");
  }

  /** {@code box} of the tensor whose bytes are {@code whole}. */
  static byte[] part(byte[] whole, TensorSpec spec, Box box) {
    int size = spec.type().sizeBytes();
    byte[] part = new byte[Math.toIntExact(box.elements() * size)];
    for (int index = 0; index < box.elements(); index++) {
      long rest = index;
      long from = 0;
      long stride = 1;
      for (int dim = box.dimensions() - 1; dim >= 0; dim--) {
        from += stride * (box.from(dim) + rest % box.length(dim));
        rest /= box.length(dim);
        stride *= spec.shape().get(dim);
      }
      System.arraycopy(whole, Math.toIntExact(from * size), part, index * size, size);
    }
    return part;
  }

  /** A tensor of these bytes. */
  static HostTensor tensor(TensorSpec spec, byte[] bytes) {
    HostTensor tensor = HostTensor.allocate(spec);
    tensor.memory().view(0, bytes.length).put(bytes);
    return tensor;
  }

  /** A tensor's bytes. */
  static byte[] bytes(HostTensor tensor) {
    byte[] bytes = new byte[Math.toIntExact(tensor.spec().sizeBytes())];
    tensor.memory().view(tensor.offset(), bytes.length).get(bytes);
    return bytes;
  }
}
