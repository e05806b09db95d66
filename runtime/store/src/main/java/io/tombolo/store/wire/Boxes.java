// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Longs;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.tensors.layout.Box;
import java.util.stream.IntStream;

/** Parts of tensors as bytes: the number of dimensions, and both ends in each. */
final class Boxes {
  static final int LEAST_BYTES = Integer.BYTES;

  private Boxes() {}

  static void write(FieldWriter out, Box box) {
    ImmutableList<Integer> dims =
        IntStream.range(0, box.dimensions()).boxed().collect(ImmutableList.toImmutableList());
    out.list(dims, TensorSpec.MAX_DIMENSIONS, (to, dim) -> to.i64(box.from(dim)).i64(box.to(dim)));
  }

  static Box read(FieldReader in) {
    ImmutableList<long[]> sides =
        in.list(
            TensorSpec.MAX_DIMENSIONS,
            2 * Long.BYTES,
            from -> new long[] {from.natural(), from.natural()});
    try {
      return Box.between(
          Longs.toArray(sides.stream().map(side -> side[0]).toList()),
          Longs.toArray(sides.stream().map(side -> side[1]).toList()));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new CorruptException("a part that is none: " + e.getMessage(), e);
    }
  }
}
