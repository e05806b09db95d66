// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import java.util.OptionalInt;
import org.testng.annotations.Test;

/** Which rails count as dead. */
public final class StallWatchTest {
  @Test
  public void shouldBlameTheRailOverWhichTheSameStripeIsMissingFiveTimes() {
    StallWatch watch = new StallWatch(2, 0);
    for (int word = 0; word < 5; word++) {
      assertEquals(watch.stalled(0b11), OptionalInt.empty());
      watch.onRail(0, 4 + word, true);
      watch.onRail(1, 0, true);
    }
    assertEquals(watch.stalled(0b11), OptionalInt.of(1));
    assertEquals(watch.stalled(0b01), OptionalInt.empty());
  }

  @Test
  public void shouldBlameNoneThatWasExcusedOnceOrForAnotherStripe() {
    StallWatch watch = new StallWatch(1, 0);
    for (int word = 0; word < 9; word++) {
      watch.onRail(0, 7, word % 5 > 0);
      assertEquals(watch.stalled(1), OptionalInt.empty());
    }
    for (int word = 0; word < 9; word++) {
      watch.onRail(0, 8 + word / 4, true);
      assertEquals(watch.stalled(1), OptionalInt.empty());
    }
  }

  @Test
  public void shouldCountWordsThatComeTogetherOnce() {
    StallWatch watch = new StallWatch(2, 0);
    assertTrue(watch.mayCount(1_000_000_000));
    assertFalse(watch.mayCount(1_000_000_001));
    assertTrue(watch.mayCount(1_500_000_000));
  }
}
