// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.store.value.HostTensor;
import java.nio.FloatBuffer;

/** Tensors of f32 whose elements are easy to tell. */
final class Tensors {
  private Tensors() {}

  /** The elements are {@code first}, {@code first + 1}, …. */
  static HostTensor counting(int first, long... shape) {
    HostTensor tensor = HostTensor.allocate(DataType.F32, shape);
    FloatBuffer elements = view(tensor);
    for (int index = 0; index < elements.capacity(); index++) {
      elements.put(first + index);
    }
    return tensor;
  }

  /** All elements are {@code value}. */
  static HostTensor constant(float value, long... shape) {
    HostTensor tensor = HostTensor.allocate(DataType.F32, shape);
    fill(tensor, value);
    return tensor;
  }

  static void fill(HostTensor tensor, float value) {
    FloatBuffer elements = view(tensor);
    while (elements.hasRemaining()) {
      elements.put(value);
    }
  }

  /** Its elements; closes it. */
  static float[] elements(HostTensor tensor) {
    try (NativeMemory memory = tensor.memory()) {
      float[] elements = new float[(int) (tensor.spec().sizeBytes() / Float.BYTES)];
      memory.view(tensor.offset(), elements.length * Float.BYTES).asFloatBuffer().get(elements);
      return elements;
    }
  }

  private static FloatBuffer view(HostTensor tensor) {
    int sizeBytes = (int) tensor.spec().sizeBytes();
    return tensor.memory().view(tensor.offset(), sizeBytes).asFloatBuffer();
  }
}
