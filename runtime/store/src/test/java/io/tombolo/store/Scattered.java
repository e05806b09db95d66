// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Longs;
import io.tombolo.base.NativeMemory;
import io.tombolo.store.value.StridedTensor;
import io.tombolo.store.value.TensorSpec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Tensors whose elements lie in any order, with gaps between them. */
final class Scattered {
  private static final int MOST_GAP = 3;

  private Scattered() {}

  /** A tensor of these bytes, which are row-major, in memory that the caller closes. */
  static StridedTensor tensor(TensorSpec spec, byte[] bytes, Random random) {
    long[] strides = strides(spec, random);
    int size = spec.type().sizeBytes();
    long offset = (long) random.nextInt(MOST_GAP) * size;
    long elements = 1;
    for (int dim = 0; dim < strides.length; dim++) {
      elements += Math.max(0, spec.shape().get(dim) - 1) * strides[dim];
    }
    NativeMemory memory = NativeMemory.allocate(offset + elements * size);
    ByteBuffer view = memory.view(0, Math.toIntExact(memory.sizeBytes()));
    for (int index = 0; index < bytes.length / size; index++) {
      long at = offset + elementAt(index, spec, strides) * size;
      view.put(Math.toIntExact(at), bytes, index * size, size);
    }
    return new StridedTensor(spec, memory, offset, ImmutableList.copyOf(Longs.asList(strides)));
  }

  private static long[] strides(TensorSpec spec, Random random) {
    List<Integer> inner = new ArrayList<>(IntStream.range(0, spec.shape().size()).boxed().toList());
    Collections.reverse(inner);
    if (random.nextBoolean()) {
      Collections.shuffle(inner, random);
    }
    long[] strides = new long[inner.size()];
    long next = 1;
    for (int dim : inner) {
      next += random.nextInt(MOST_GAP) / 2; // mostly without a gap
      strides[dim] = next;
      next *= Math.max(1, spec.shape().get(dim));
    }
    return strides;
  }

  private static long elementAt(int index, TensorSpec spec, long[] strides) {
    long rest = index;
    long at = 0;
    for (int dim = strides.length - 1; dim >= 0; dim--) {
      at += rest % spec.shape().get(dim) * strides[dim];
      rest /= spec.shape().get(dim);
    }
    return at;
  }
}
