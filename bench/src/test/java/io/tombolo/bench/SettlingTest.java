// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.Test;

public class SettlingTest {

  @Test
  public void shouldGoOnWhileMediansFallAndStopOnceTheyDoNot() {
    Settling settling = new Settling(Settling.COMPILED_CALLS);
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
  public void shouldNotTakeAColdPlateauForTheEnd() {
    Settling settling = new Settling(0);
    int calls = Settling.FIRST_CALLS;
    int made = 0;
    for (int batch = 0; batch < 10; batch++) { // interpreted: a plateau that lasts
      made += calls;
      calls = settling.next(calls, 100_000);
      assertTrue(calls > 0, "after " + made + " calls that took as long as each other");
    }
    while (calls > 0) {
      made += calls;
      calls = settling.next(calls, 6_000);
    }
    assertTrue(made >= Settling.COMPILED_CALLS, "calls: " + made);
    assertTrue(made < Settling.COMPILED_CALLS + 1_000, "calls: " + made);
  }

  @Test
  public void shouldGiveAColdProcessMoreTimeButNotForEver() {
    Settling settling = new Settling(0);
    assertTrue(settling.next(20, 50_000_000) > 0, "after a second");
    assertEquals(settling.next(20, 50_000_000), 0, "after two");
  }

  @Test
  public void shouldStopWhenItsTimeIsUsedUp() {
    Settling settling = new Settling(Settling.COMPILED_CALLS);
    assertTrue(settling.next(20, 20_000_000) > 0);
    assertEquals(settling.next(10, 11_000_000), 0);
  }

  @Test
  public void shouldMakeBatchesOfOneLongCallOrOfManyShortOnes() {
    assertEquals(new Settling(Settling.COMPILED_CALLS).next(1, 200_000_000), 1);
    assertEquals(new Settling(Settling.COMPILED_CALLS).next(1, 1_000_000), 50);
    assertEquals(new Settling(Settling.COMPILED_CALLS).next(1, 100), 500);
    assertEquals(new Settling(Settling.COMPILED_CALLS).next(20, 0), 500);
  }
}
