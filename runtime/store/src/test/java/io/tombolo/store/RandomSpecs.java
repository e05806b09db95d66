// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import io.tombolo.base.DataType;
import io.tombolo.store.value.TensorSpec;
import java.util.Random;

/** Tensors for tests, in all the ways in which rows lie in memory. */
final class RandomSpecs {
  private RandomSpecs() {}

  /** Scalars, tensors of nothing, of short rows, and of rows that are sent without gathering. */
  static TensorSpec draw(Random random) {
    DataType[] types = {DataType.U8, DataType.BF16, DataType.F32, DataType.F64};
    long[] shape = new long[random.nextInt(4)];
    for (int dim = 0; dim < shape.length; dim++) {
      shape[dim] = random.nextInt(10);
    }
    if (shape.length > 1 && random.nextInt(3) == 0) {
      shape[shape.length - 1] = 3_000L + random.nextInt(8_000);
    }
    return TensorSpec.of(types[random.nextInt(types.length)], shape);
  }
}
