// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import java.util.List;
import java.util.stream.IntStream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class RingTest {
  @DataProvider
  Object[][] jobs() {
    return new Object[][] {
      {"a", List.of(0)},
      {"aaa", List.of(0, 1, 2)},
      {"ab", List.of(0, 1)},
      {"aabb", List.of(0, 2, 1, 3)},
      {"abba", List.of(0, 1, 3, 2)},
      {"abcabc", List.of(0, 1, 2, 3, 4, 5)},
      {"abbb", List.of(0, 1, 2, 3)},
      {"aaab", List.of(0, 3, 1, 2)},
    };
  }

  /** Each letter is the vendor of a rank. */
  @Test(dataProvider = "jobs")
  public void shouldHaveClustersTakeTurns(String vendors, List<Integer> ranks) {
    Ring ring = Ring.of(clustering(vendors));
    assertEquals(ring.ranks(), ranks);
    for (int rank = 0; rank < ring.size(); rank++) {
      assertEquals(ring.previous(ring.next(rank)), rank);
      assertEquals(ring.next(ring.previous(rank)), rank);
    }
  }

  @Test
  public void shouldKnowItsRanksOnly() {
    assertThrows(IllegalArgumentException.class, () -> new Ring(ImmutableList.of(0)).next(1));
  }

  private static Clustering clustering(String vendors) {
    return Clustering.of(
        IntStream.range(0, vendors.length())
            .mapToObj(
                rank -> new RankSite(rank, vendors.substring(rank, rank + 1), "host", "device"))
            .toList());
  }
}
