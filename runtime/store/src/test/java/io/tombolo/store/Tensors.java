// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;

import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.volume.Holding;
import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;

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

  /** Puts it as "w", and closes it. */
  static void put(TensorStore store, HostTensor tensor) {
    try {
      store.put("w", tensor);
    } finally {
      tensor.memory().close();
    }
  }

  /** Shows a version of "w" all of whose elements are its number. */
  static void show(Holding holding, int version, int elements, Duration patience) {
    HostTensor tensor = constant(version, elements);
    try {
      holding.show(version, Map.of("w", TensorPart.whole(tensor)), patience);
    } finally {
      tensor.memory().close();
    }
  }

  /** All its elements are {@code value}; closes it. */
  static void assertConstant(HostTensor tensor, int elements, float value) {
    float[] got = elements(tensor);
    assertEquals(got.length, elements);
    for (float element : got) {
      assertEquals(element, value);
    }
  }

  /** The value of all its elements, one of which at least there is; closes it. */
  static float requireConstant(HostTensor tensor, String where) {
    float[] got = elements(tensor);
    int last = Arrays.mismatch(got, 0, got.length - 1, got, 1, got.length);
    if (last >= 0) {
      throw new AssertionError(
          "%s: up to element %s all are %s, and the next is %s"
              .formatted(where, last, got[0], got[last + 1]));
    }
    return got[0];
  }

  private static FloatBuffer view(HostTensor tensor) {
    int sizeBytes = (int) tensor.spec().sizeBytes();
    return tensor.memory().view(tensor.offset(), sizeBytes).asFloatBuffer();
  }
}
