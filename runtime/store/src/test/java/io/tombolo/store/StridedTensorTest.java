// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.StridedTensor;
import io.tombolo.store.value.TensorSpec;
import java.util.Arrays;
import java.util.Random;
import org.testng.annotations.Test;

public class StridedTensorTest {
  private static final int ROUNDS = 300;
  private static final TensorSpec MATRIX = TensorSpec.of(DataType.F32, 3, 4);

  @Test
  public void shouldCopyAnyElementsInRowMajorOrder() {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      String where = "-Dtombolo.seed=" + seed + ", round " + round;
      long[] shape = new long[random.nextInt(4)];
      Arrays.setAll(shape, dim -> 1L + random.nextInt(6));
      TensorSpec spec = TensorSpec.of(random.nextBoolean() ? DataType.BF16 : DataType.F64, shape);
      byte[] bytes = new byte[(int) spec.sizeBytes()];
      random.nextBytes(bytes);
      StridedTensor tensor = Scattered.tensor(spec, bytes, random);
      int size = spec.type().sizeBytes();
      int first = random.nextInt(bytes.length / size);
      int count = 1 + random.nextInt(bytes.length / size - first);
      try (NativeMemory memory = tensor.memory();
          NativeMemory copy = NativeMemory.allocate(bytes.length)) {
        tensor.copy(first, count, copy.address());
        byte[] wanted = Arrays.copyOfRange(bytes, first * size, (first + count) * size);
        assertEquals(copy.get(0, count * size), wanted, where + ": " + tensor + memory.sizeBytes());
      }
    }
  }

  @Test
  public void shouldKnowWhereRowMajorElementsLie() {
    assertEquals(StridedTensor.rowMajor(MATRIX), ImmutableList.of(4L, 1L));
    assertEquals(StridedTensor.rowMajor(TensorSpec.of(DataType.U8)), ImmutableList.of());
    TensorSpec none = TensorSpec.of(DataType.U8, 0, 1L << 40, 1L << 40);
    assertEquals(StridedTensor.rowMajor(none), ImmutableList.of(0L, 0L, 0L));
    assertEquals(StridedTensor.at(0, none, StridedTensor.rowMajor(none)).spec(), none);
  }

  @Test
  public void shouldRefuseWhatIsNotInTheMemory() {
    try (NativeMemory memory = NativeMemory.allocate(MATRIX.sizeBytes())) {
      StridedTensor fits = new StridedTensor(MATRIX, memory, 0, ImmutableList.of(1L, 3L));
      assertEquals(fits.spec(), MATRIX);
      assertThrows(
          IndexOutOfBoundsException.class,
          () -> new StridedTensor(MATRIX, memory, 0, ImmutableList.of(5L, 1L)));
      assertThrows(
          IndexOutOfBoundsException.class,
          () -> new StridedTensor(MATRIX, memory, 4, ImmutableList.of(4L, 1L)));
      for (ImmutableList<Long> wrong :
          ImmutableList.of(
              ImmutableList.of(4L),
              ImmutableList.of(4L, 1L, 1L),
              ImmutableList.of(-4L, 1L),
              ImmutableList.of(Long.MAX_VALUE, 1L),
              ImmutableList.of(Long.MAX_VALUE / 2, 1L))) {
        assertThrows(UsageException.class, () -> new StridedTensor(MATRIX, memory, 0, wrong));
      }
    }
  }
}
