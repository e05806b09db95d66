// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import java.util.stream.IntStream;
import org.testng.annotations.Test;

/** Who exchanges with whom in clusters of all sizes. */
public final class FirstPeersTest {
  private static final int[] SIZES =
      IntStream.concat(IntStream.rangeClosed(1, 130), IntStream.of(1000, 1024)).toArray();

  /** A member that exchanges with one that does not would wait for it for ever. */
  @Test
  public void shouldBeTheSameSeenFromBothSides() {
    for (int size : SIZES) {
      for (int member = 0; member < size; member++) {
        for (int peer : FirstPeers.of(member, size)) {
          String who = "%s with %s of %s".formatted(member, peer, size);
          assertTrue(peer != member && peer >= 0 && peer < size, who);
          assertTrue(FirstPeers.of(peer, size).contains(member), who);
        }
      }
    }
  }

  /** A library has a connection to each of them, with buffers of its own. */
  @Test
  public void shouldBeAllOfFewAndFewOfMany() {
    for (int size : SIZES) {
      for (int member = 0; member < size; member++) {
        int peers = FirstPeers.of(member, size).size();
        if (size <= FirstPeers.MOST_OF_ALL) {
          assertEquals(peers, size - 1);
        } else {
          assertTrue(peers < FirstPeers.MOST_OF_ALL, peers + " of " + size);
        }
      }
    }
  }

  @Test
  public void shouldDifferByPowersOfTwoAroundTheRing() {
    assertEquals(
        FirstPeers.of(3, 100),
        ImmutableSortedSet.copyOf(
            ImmutableList.of(4, 5, 7, 11, 19, 35, 67, 2, 1, 99, 95, 87, 71, 39)));
  }
}
