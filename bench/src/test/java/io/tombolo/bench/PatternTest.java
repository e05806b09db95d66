// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class PatternTest {
  private static final long SEED = 20_251;

  @DataProvider
  Object[][] cases() {
    List<Object[]> cases = new ArrayList<>();
    for (DataType type : ElementsTest.PREDICTABLE) {
      for (ReduceOp op : Arrays.stream(ReduceOp.values()).filter(o -> o.appliesTo(type)).toList()) {
        for (int ranks : new int[] {1, 2, 3, 4, 7, 8}) {
          cases.add(new Object[] {type, op, ranks});
        }
      }
    }
    return cases.toArray(Object[][]::new);
  }

  @Test(dataProvider = "cases")
  public void shouldStayExactInWhateverOrderRanksCombine(DataType type, ReduceOp op, int ranks) {
    Pattern pattern = new Pattern(type, op, ranks);
    long limit = Elements.exactLimit(type);
    Random random = new Random(SEED);
    List<Integer> order = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      order.add(rank);
    }
    for (int index = 0; index < Pattern.PERIOD; index += 13) {
      Collections.shuffle(order, random);
      long result = pattern.input(order.get(0), index);
      assertTrue(Math.abs(result) <= limit, "an input is not exact, seed " + SEED);
      for (int rank : order.subList(1, ranks)) {
        result = combine(op, result, pattern.input(rank, index));
        assertTrue(Math.abs(result) <= limit, "a partial result is not exact, seed " + SEED);
        assertTrue(result >= 0 || Elements.isSigned(type), "below zero, seed " + SEED);
      }
      long finished = op == ReduceOp.AVG ? result / ranks : result;
      assertEquals(finished * (op == ReduceOp.AVG ? ranks : 1), result, "not whole");
      assertEquals(pattern.expected(index), finished, "index " + index + ", seed " + SEED);
    }
  }

  @Test(dataProvider = "cases")
  public void shouldShowDataThatLandedOffByAPowerOfTwo(DataType type, ReduceOp op, int ranks) {
    Pattern pattern = new Pattern(type, op, ranks);
    for (int shift = 1; shift < Pattern.PERIOD; shift *= 2) {
      boolean seen = false;
      for (int index = 0; index < 64 && !seen; index++) {
        seen = pattern.expected(index) != pattern.expected(index + shift);
      }
      assertTrue(seen, "a result shifted by " + shift + " looks right");
    }
  }

  @Test
  public void shouldDifferFromRankToRank() {
    Pattern pattern = new Pattern(DataType.F32, ReduceOp.SUM, 4);
    assertNotEquals(pattern.inputBlock(0, 1), pattern.inputBlock(1, 1));
  }

  @Test
  public void shouldRepeatEveryPeriodAndOnlyThen() {
    byte[] block = new Pattern(DataType.I32, ReduceOp.SUM, 3).expectedBlock(3, 2);
    int period = Pattern.PERIOD * 4;
    assertEquals(block.length, 2 * period);
    for (int i = 0; i < period; i++) {
      assertEquals(block[i], block[i + period], "byte " + i);
    }
  }

  private static long combine(ReduceOp op, long a, long b) {
    return switch (op) {
      case SUM, AVG -> a + b;
      case PROD -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case BAND -> a & b;
      case BOR -> a | b;
      case BXOR -> a ^ b;
    };
  }
}
