// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import java.util.SplittableRandom;
import org.testng.annotations.Test;

/** Which rails belong together. */
public final class RailPairTest {
  private static final long SEED = 20261126;
  private static final RailPair.Match NAMELESS = (i, j) -> false;

  @Test
  public void shouldPairRailsOfOneIndexFirst() {
    assertEquals(RailPair.partners(3, 3, NAMELESS, (i, j) -> true), new int[] {0, 1, 2});
    assertEquals(RailPair.partners(2, 3, NAMELESS, (i, j) -> i != 0 || j != 0), new int[] {2, 1});
  }

  /**
   * One host's second NIC is down: the order alone would pair its third with the other's second.
   */
  @Test
  public void shouldPairNicsOfOneNameBeforeThoseOfOneIndex() {
    String[] first = {"mlx5_0", "mlx5_2"};
    String[] second = {"mlx5_0", "mlx5_1", "mlx5_2"};
    RailPair.Match names = (i, j) -> first[i].equals(second[j]);
    assertEquals(RailPair.partners(2, 3, names, (i, j) -> true), new int[] {0, 2});
    assertEquals(RailPair.partners(3, 2, names.turned(), (i, j) -> true), new int[] {0, -1, 1});
    assertEquals(RailPair.partners(2, 3, names, (i, j) -> j < 2), new int[] {0, 1});
  }

  /** The side of two sees no name; the other sees its own among theirs. */
  @Test
  public void shouldPairASideOfOneRailAsBothSidesSeeIt() {
    RailPair.Match second = (i, j) -> i == 1 || j == 1;
    assertEquals(RailPair.partners(1, 2, second, (i, j) -> true), new int[] {0});
    assertEquals(RailPair.partners(2, 1, NAMELESS, (i, j) -> true), new int[] {0, RailPair.NOBODY});
  }

  @Test
  public void shouldPairAsManyAsTheSideWithFewerHas() {
    assertEquals(
        RailPair.partners(4, 2, NAMELESS, (i, j) -> true),
        new int[] {0, 1, RailPair.NOBODY, RailPair.NOBODY});
    assertEquals(RailPair.partners(1, 4, NAMELESS, (i, j) -> j == 3), new int[] {3});
    assertEquals(RailPair.partners(1, 1, NAMELESS, (i, j) -> false), new int[] {RailPair.NOBODY});
  }

  @Test
  public void shouldPairNoRailTwiceAndLeaveNoneThatCouldBePaired() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 1000; round++) {
      int first = 1 + random.nextInt(8);
      int second = 1 + random.nextInt(8);
      long reach = random.nextLong();
      int[] partners = RailPair.partners(first, second, NAMELESS, (i, j) -> reaches(reach, i, j));
      boolean[] taken = new boolean[second];
      for (int i = 0; i < first; i++) {
        if (partners[i] != RailPair.NOBODY) {
          assertTrue(reaches(reach, i, partners[i]) && !taken[partners[i]], "seed " + SEED);
          taken[partners[i]] = true;
        }
      }
      for (int i = 0; i < first; i++) {
        for (int j = 0; j < second; j++) {
          boolean isLeft = partners[i] == RailPair.NOBODY && !taken[j] && reaches(reach, i, j);
          assertTrue(!isLeft, "seed " + SEED);
        }
      }
    }
  }

  private static boolean reaches(long reach, int i, int j) {
    return (reach >>> (8 * i + j) & 1) != 0;
  }
}
