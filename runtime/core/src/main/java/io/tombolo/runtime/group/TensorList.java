// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.group;

import com.google.common.primitives.ImmutableLongArray;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.Layout;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Tensors at any addresses, one for each rank, seen as the blocks of one buffer: it begins at the
 * lowest address, and what lies between the tensors belongs to nobody here. So lists need no
 * copies.
 *
 * @param base lowest address
 * @param blocks where each tensor lies from there
 * @param type of all elements
 */
record TensorList(long base, Layout.Uneven blocks, DataType type) {
  /**
   * The list {@code tensors} of {@code what}; refused unless there is one tensor for each of {@code
   * size} ranks, all of type {@code type}.
   */
  static TensorList of(String what, List<Tensor> tensors, int size, DataType type) {
    if (tensors.size() != size) {
      throw new UsageException(
          what + ": " + tensors.size() + " tensors for " + size + " ranks; give one for each");
    }
    long base =
        tensors.stream()
            .filter(tensor -> tensor.count() > 0)
            .map(Tensor::address)
            .min(Comparator.naturalOrder())
            .orElse(0L);
    ImmutableLongArray.Builder counts = ImmutableLongArray.builder(size);
    ImmutableLongArray.Builder offsets = ImmutableLongArray.builder(size);
    for (Tensor tensor : tensors) {
      counts.add(tensor.count());
      offsets.add(tensor.count() == 0 ? 0 : offset(what, tensor, base, type));
    }
    return new TensorList(base, new Layout.Uneven(counts.build(), offsets.build()), type);
  }

  private static long offset(String what, Tensor tensor, long base, DataType type) {
    long distance = tensor.address() - base;
    if (tensor.type() != type || distance % type.sizeBytes() != 0) {
      throw new UsageException(
          "%s: %s does not fit in; all tensors are %s, a whole number of elements apart"
              .formatted(what, tensor, type.text()));
    }
    return distance / type.sizeBytes();
  }

  /** Blocks of {@code count} elements for those ranks that do not see the list itself. */
  static Layout.Uneven even(long count, int size) {
    return Layout.Uneven.packed(LongStream.generate(() -> count).limit(size).toArray());
  }
}
