// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;

import org.testng.annotations.Test;

public class PathRttTest {
  private final PathRtt path = new PathRtt();
  private long nowNs;

  private void rounds(int rounds, long shortestNs, long longestNs) {
    for (int i = 0; i < 4 * rounds; i++) {
      nowNs += shortestNs / 4;
      path.sample(i % 2 == 0 ? shortestNs : longestNs, nowNs);
    }
  }

  @Test
  public void shouldTellTheQueueFromNoiseAndBelieveALongerPathAfterTwoDrains() {
    assertFalse(path.isKnown());
    rounds(5, 1000, 1000);
    rounds(5, 1500, 9000);
    assertEquals(path.baseNs(), 1000);
    assertEquals(path.standingNs(), 1500, "others were longer for a moment");
    path.onDrained();
    rounds(5, 3000, 3000);
    assertEquals(path.baseNs(), 1000);
    path.onDrained();
    rounds(5, 3000, 3000);
    assertEquals(path.baseNs(), 3000);
    rounds(1, 900, 900);
    assertEquals(path.baseNs(), 900, "a shorter path is believed at once");
  }
}
