// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.CorruptException;
import java.util.List;
import org.testng.annotations.Test;

public final class RankRangesTest {
  @Test
  public void shouldBeShortWhereRanksFollowEachOther() {
    assertEquals(RankRanges.encode(List.of()), "");
    assertEquals(RankRanges.encode(List.of(7)), "7");
    assertEquals(RankRanges.encode(List.of(0, 1)), "0-1");
    assertEquals(RankRanges.encode(List.of(9, 4, 0, 5, 6, 7, 8, 11)), "0,4-9,11");
  }

  @Test
  public void shouldReadWhatItWrites() {
    List<Integer> ranks = List.of(0, 4, 5, 6, 9, 11, 12);
    assertEquals(RankRanges.decode(RankRanges.encode(ranks)), ranks);
  }

  @Test
  public void shouldRefuseWhatNamesNoRanks() {
    for (String text : new String[] {"x", "3-", "4-2", "1-2-3", "-1", "0-99999999"}) {
      expectThrows(CorruptException.class, () -> RankRanges.decode(text));
    }
  }
}
