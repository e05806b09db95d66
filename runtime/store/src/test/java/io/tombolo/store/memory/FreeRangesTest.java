// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.memory;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.store.TestSeed;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.testng.annotations.Test;

public class FreeRangesTest {
  private static final int LINE = (int) FreeRanges.ALIGNMENT;

  @Test
  public void shouldLendNothingTwiceAndLoseNothing() {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    int lines = 200;
    FreeRanges ranges = new FreeRanges((long) lines * LINE + 17);
    BitSet used = new BitSet(lines);
    List<long[]> lent = new ArrayList<>();
    for (int round = 0; round < 20_000; round++) {
      String where = "-Dtombolo.seed=" + seed + ", round " + round;
      if (random.nextInt(3) > 0) {
        long size = random.nextInt(20 * LINE);
        OptionalLong offset = ranges.take(size);
        int count = (int) ((size + LINE - 1) / LINE);
        assertEquals(offset.isEmpty(), count > 0 && longestGap(used, lines) < count, where);
        if (offset.isPresent()) {
          int from = (int) (offset.getAsLong() / LINE);
          assertEquals(used.get(from, from + count).cardinality(), 0, where);
          used.set(from, from + count);
          lent.add(new long[] {offset.getAsLong(), size});
        }
      } else if (!lent.isEmpty()) {
        long[] back = lent.remove(random.nextInt(lent.size()));
        ranges.giveBack(back[0], back[1]);
        int from = (int) (back[0] / LINE);
        used.clear(from, from + (int) ((back[1] + LINE - 1) / LINE));
      }
      assertEquals(ranges.freeBytes(), (long) (lines - used.cardinality()) * LINE, where);
      assertEquals(ranges.largestGap(), (long) longestGap(used, lines) * LINE, where);
    }
    assertTrue(lent.size() > 1);
  }

  private static int longestGap(BitSet used, int lines) {
    int longest = 0;
    for (int from = used.nextClearBit(0); from < lines; from = used.nextClearBit(from)) {
      int to = used.nextSetBit(from) < 0 ? lines : used.nextSetBit(from);
      longest = Math.max(longest, to - from);
      from = to;
    }
    return longest;
  }

  @Test
  public void shouldRefuseWhatIsGivenBackTwice() {
    FreeRanges ranges = new FreeRanges(1 << 10);
    long offset = ranges.take(100).getAsLong();
    ranges.giveBack(offset, 100);
    assertThrows(IllegalArgumentException.class, () -> ranges.giveBack(offset, 100));
    assertThrows(IllegalArgumentException.class, () -> ranges.giveBack(1 << 10, 100));
    assertEquals(ranges.take(Long.MAX_VALUE), OptionalLong.empty());
    assertEquals(ranges.freeBytes(), 1 << 10);
  }
}
