// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import java.util.SplittableRandom;
import org.testng.annotations.Test;

/** Who gets how much. */
public final class WeightedTurnsTest {
  private static final long SEED = 20261126;

  @Test
  public void shouldShareByRateWhateverTheSizes() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 50; round++) {
      int[] weights = random.ints(1 + random.nextInt(8), 1, 50_000).toArray();
      long[] bytes = share(new WeightedTurns(weights), weights.length, random, 20_000);
      double total = 0;
      double weight = 0;
      for (int rail = 0; rail < weights.length; rail++) {
        total += bytes[rail];
        weight += weights[rail];
      }
      for (int rail = 0; rail < weights.length; rail++) {
        double fair = total * weights[rail] / weight;
        assertTrue(Math.abs(bytes[rail] - fair) < 2 << 20, "rail " + rail + ", seed " + SEED);
      }
    }
  }

  @Test
  public void shouldLeaveOutRailsWithoutWeight() {
    long[] bytes = share(new WeightedTurns(0, 7, 0), 3, new SplittableRandom(SEED), 100);
    assertEquals(bytes[0] + bytes[2], 0);
  }

  @Test
  public void shouldTakeTurnsWithEmptyMessages() {
    WeightedTurns turns = new WeightedTurns(5, 5);
    for (int i = 0; i < 10; i++) {
      assertEquals(turns.next(), i % 2);
      turns.took(turns.next(), 0);
    }
  }

  private static long[] share(WeightedTurns turns, int rails, SplittableRandom random, int count) {
    long[] bytes = new long[rails];
    for (int i = 0; i < count; i++) {
      int size = random.nextInt(1 << 18);
      int rail = turns.next();
      bytes[rail] += size + 256; // a stripe costs more than its bytes
      turns.took(rail, size);
    }
    return bytes;
  }
}
