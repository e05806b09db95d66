// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Where cells lie that are used in turn. */
public final class CellSpreadTest {
  private static final int LINE_BYTES = 64;

  @DataProvider
  private static Object[][] sizes() {
    return new Object[][] {
      {1, 64},
      {2, 128},
      {64, 4096},
      {128, 8192},
      {129, 8192},
      {512, 8192},
      {1024, 8192},
      {1025, 8256},
      {2048, 16384},
    };
  }

  @Test(dataProvider = "sizes")
  public void shouldGiveEachCellAPlaceInTheBlock(int count, long sizeBytes) {
    CellSpread spread = new CellSpread(count);
    assertEquals(spread.sizeBytes(), sizeBytes);
    Set<Long> offsets = new HashSet<>();
    for (int i = 0; i < count; i++) {
      long offset = spread.offset(i);
      assertTrue(offset >= 0 && offset + Long.BYTES <= sizeBytes && offset % Long.BYTES == 0);
      assertTrue(offsets.add(offset), "cell " + i);
    }
  }

  @Test(dataProvider = "sizes")
  public void shouldKeepCellsThatAreNearEachOtherInLinesOfTheirOwn(int count, long sizeBytes) {
    CellSpread spread = new CellSpread(count);
    for (int i = 0; i < count; i++) {
      for (int near = i + 1; near < Math.min(count, i + 128); near++) {
        assertNotEquals(line(spread, near), line(spread, i), i + " and " + near);
      }
    }
  }

  private static long line(CellSpread spread, int cell) {
    return spread.offset(cell) / LINE_BYTES;
  }
}
