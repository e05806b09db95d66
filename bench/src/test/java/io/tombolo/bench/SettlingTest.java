// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.Test;

public class SettlingTest {

  @Test
  public void shouldGoOnWhileMediansFallAndStopOnceTheyDoNot() {
    Settling settling = new Settling();
    int calls = Settling.FIRST_CALLS;
    for (long medianNs = 1_000_000; medianNs > 10_000; medianNs /= 2) {
      calls = settling.next(calls, medianNs);
      assertTrue(calls > 0, "at " + medianNs + " ns");
    }
    assertTrue(settling.next(10, 15_000) > 0, "once may be chance");
    assertTrue(settling.next(10, 16_000) > 0, "twice too");
    assertEquals(settling.next(10, 15_000), 0);
  }

  @Test
  public void shouldStopWhenItsTimeIsUsedUp() {
    Settling settling = new Settling();
    assertTrue(settling.next(20, 20_000_000) > 0);
    assertEquals(settling.next(10, 11_000_000), 0);
  }

  @Test
  public void shouldMakeBatchesOfOneLongCallOrOfManyShortOnes() {
    assertEquals(new Settling().next(1, 200_000_000), 1);
    assertEquals(new Settling().next(1, 1_000_000), 50);
    assertEquals(new Settling().next(1, 100), 500);
    assertEquals(new Settling().next(20, 0), 500);
  }
}
