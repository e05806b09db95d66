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
    assertEquals(restAfterOverflow(100, false), 16);
    assertEquals(restAfterOverflow(4, false), 16);
    steps.onOverflow(100, false);
    steps.forgetOverflow();
    assertTrue(steps.next(85, 1000, 100) > 3, "it had not overflowed");
    restAfterOverflow(100, false);
    assertTrue(steps.next(100, 1000, 100) < 2);
    assertTrue(steps.next(130, 1000, 100) > 10, "far above, it is forgotten");
  }

  /** So that few of what it sends overflow; a small window rests no longer than its rivals. */
  @Test
  public void shouldRestLongerTheSmallerItIsWhereOthersFillTheQueue() {
    assertEquals(restAfterOverflow(200, true), 16);
    assertEquals(restAfterOverflow(32, true), 48);
    assertEquals(restAfterOverflow(8, true), 192);
    assertEquals(restAfterOverflow(4, true), 192);
  }

  @Test
  public void shouldRestNoLongerThanUsualWhenTheOthersAreGone() {
    steps.onOverflow(8, true);
    steps.endCrowd();
    int rest = 0;
    while (steps.next(7, 1000, 100) == 0) {
      rest++;
    }
    assertEquals(rest, 16);
  }

  private int restAfterOverflow(double chunks, boolean crowded) {
    steps.onOverflow(chunks, crowded);
    int rest = 0;
    while (steps.next(0.85 * chunks, 1000, 100) == 0) {
      rest++;
    }
    return rest;
  }
}
