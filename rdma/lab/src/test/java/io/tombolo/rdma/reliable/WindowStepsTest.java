// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

public class WindowStepsTest {
  private static final double FIRST = 3.5; // of 100 chunks

  private WindowSteps steps;

  @BeforeMethod
  public void begin() {
    steps = new WindowSteps();
  }

  @Test
  public void shouldHastenWhileTheDirectionStays() {
    assertEquals(steps.next(100, 90, 100), -FIRST, 0.01);
    assertEquals(steps.next(100, 1000, 100), FIRST, 0.01);
    assertEquals(steps.next(100, 1000, 100), FIRST, 0.01);
    assertEquals(steps.next(100, 1000, 100), FIRST, 0.01);
    assertEquals(steps.next(100, 1000, 100), 2 * FIRST, 0.01);
    assertEquals(steps.next(100, 1000, 100), 4 * FIRST, 0.01);
    assertEquals(steps.next(100, 1000, 100), 25, 0.01);
    assertEquals(steps.next(100, 99, 100), -FIRST, 0.01);
  }

  @Test
  public void shouldFallByAPartOfAnExcess() {
    assertEquals(steps.next(100, 0, 100), -20, 0.01);
  }

  /** Less than the path holds helps nobody: 8 chunks stand in the queue. */
  @Test
  public void shouldFallNoDeeperThanTheQueueIs() {
    assertEquals(steps.next(100, 0, 8), -4, 0.01);
    assertEquals(steps.next(100, 0, 2), -FIRST, 0.01);
  }

  @Test
  public void shouldGoNoFurtherThanHalfTheWay() {
    for (int i = 0; i < 10; i++) {
      steps.next(100, 1000, 100);
    }
    assertEquals(steps.next(100, 120, 100), 10, 0.01);
  }

  @Test
  public void shouldRestAndGrowSlowlyWhereItHasOverflowed() {
    steps.onOverflow(100);
    int rest = 0;
    while (steps.next(85, 1000, 100) == 0) {
      rest++;
    }
    assertEquals(rest, 16);
    assertTrue(steps.next(100, 1000, 100) < 2);
    assertTrue(steps.next(130, 1000, 100) > 10, "far above, it is forgotten");
  }
}
