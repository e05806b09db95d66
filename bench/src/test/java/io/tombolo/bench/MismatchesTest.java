// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.nio.ByteBuffer;
import java.util.Random;
import org.testng.annotations.Test;

public class MismatchesTest {
  private static final long SEED = 7;

  @Test
  public void shouldFindNothingInARightResult() {
    byte[] result = result(DataType.F32);
    assertEquals(count(result, result.clone(), 4), 0);
  }

  @Test
  public void shouldFindAnySingleFlippedBit() {
    Random random = new Random(SEED);
    for (DataType type : ElementsTest.PREDICTABLE) {
      byte[] expected = result(type);
      for (int i = 0; i < 200; i++) {
        byte[] damaged = expected.clone();
        int bit = random.nextInt(8 * damaged.length);
        damaged[bit / 8] ^= (byte) (1 << bit % 8);
        assertEquals(
            count(damaged, expected, type.sizeBytes()), 1, type + " bit " + bit + ", seed " + SEED);
      }
    }
  }

  @Test
  public void shouldCountAnElementOnceHoweverManyOfItsBytesAreWrong() {
    assertEquals(count(new byte[] {1, 1, 0, 0, 0, 0, 0, 1}, new byte[8], 4), 2);
    assertEquals(count(new byte[] {1, 1, 0, 0, 0, 0, 0, 1}, new byte[8], 1), 3);
  }

  @Test
  public void shouldCountEveryElementOfAPoisonedResult() {
    byte[] expected = result(DataType.BF16);
    byte[] poison = expected.clone();
    for (int i = 0; i < poison.length; i++) {
      poison[i] = (byte) ~poison[i];
    }
    assertEquals(count(poison, expected, 2), expected.length / 2);
  }

  @Test
  public void shouldFindWhatTheInjectionDamages() {
    Injection injection = Injection.parse("flip:1");
    byte[] expected = result(DataType.F32);
    byte[] damaged = expected.clone();
    injection.damage(ByteBuffer.wrap(damaged), damaged.length);
    assertEquals(count(damaged, expected, 4), 1);
    byte[] next = expected.clone();
    injection.damage(ByteBuffer.wrap(next), next.length);
    assertEquals(count(next, expected, 4), 0, "flip:1 damages one result only");
  }

  private static byte[] result(DataType type) {
    return new Pattern(type, ReduceOp.SUM, 4).expectedBlock(4, 1);
  }

  private static long count(byte[] actual, byte[] expected, int elementBytes) {
    return Mismatches.count(ByteBuffer.wrap(actual), ByteBuffer.wrap(expected), elementBytes);
  }
}
