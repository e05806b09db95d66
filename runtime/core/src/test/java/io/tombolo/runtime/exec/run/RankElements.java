// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import static org.testng.Assert.assertEquals;

import io.tombolo.base.NativeMemory;
import java.nio.FloatBuffer;

/** The f32 elements that each rank puts in, small whole numbers, and what comes out of them. */
final class RankElements {
  /** What no sum of elements is. */
  private static final float UNTOUCHED = -1;

  private RankElements() {}

  private static float element(int rank, int index) {
    return (rank + 1) * (index % 97);
  }

  /** Writes {@code count} elements of {@code rank} to {@code memory}, after {@code from} others. */
  static void fill(NativeMemory memory, int rank, int from, int count) {
    FloatBuffer floats = floats(memory, from + count);
    for (int i = 0; i < count; i++) {
      floats.put(from + i, element(rank, i));
    }
  }

  /** Writes to the beginning of {@code memory} what {@link #checkUntouched} finds there. */
  static void mark(NativeMemory memory) {
    floats(memory, 1).put(0, UNTOUCHED);
  }

  /** Whether nobody has written to the beginning of {@code memory} since it was marked. */
  static void checkUntouched(NativeMemory memory, String what) {
    assertEquals(floats(memory, 1).get(0), UNTOUCHED, what);
  }

  /** Whether {@code memory} begins with {@code count} elements of {@code owner}. */
  static void checkCopy(NativeMemory memory, int owner, int count, String what) {
    FloatBuffer output = floats(memory, count);
    for (int i = 0; i < count; i++) {
      assertEquals(output.get(i), element(owner, i), what + " element " + i);
    }
  }

  /**
   * Whether {@code memory} holds, after {@code from} others, {@code count} sums of the elements of
   * ranks 0 to {@code ranks} - 1, divided by {@code divisor}.
   */
  static void checkSums(
      NativeMemory memory, int from, int count, int ranks, int divisor, String what) {
    FloatBuffer output = floats(memory, from + count);
    for (int i = 0; i < count; i++) {
      float sum = 0;
      for (int rank = 0; rank < ranks; rank++) {
        sum += element(rank, i);
      }
      assertEquals(output.get(from + i), sum / divisor, what + " element " + i + " of " + count);
    }
  }

  private static FloatBuffer floats(NativeMemory memory, int count) {
    return memory.view(0, count * Float.BYTES).asFloatBuffer();
  }
}
