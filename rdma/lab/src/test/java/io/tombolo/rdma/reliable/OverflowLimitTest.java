// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

public class OverflowLimitTest {
  private static final int CARRIES = 100;

  private OverflowLimit limit;

  @BeforeMethod
  public void begin() {
    limit = new OverflowLimit();
  }

  private boolean round(int arrived, int lost, boolean full) {
    limit.onArrival(arrived);
    for (int chunk = 0; chunk < lost; chunk++) {
      limit.onLoss();
    }
    return limit.endRound(full);
  }

  private void overflow() {
    for (int i = 0; i < 3; i++) {
      assertFalse(round(CARRIES, 150, true), "too little to tell");
    }
    assertTrue(round(CARRIES, 150, true));
    assertEquals(limit.chunks(), 90.0);
  }

  @Test
  public void shouldLetChanceTakeItsPart() {
    for (int i = 0; i < 1000; i++) {
      assertFalse(round(70, 30, true));
    }
    assertEquals(limit.chunks(), Double.POSITIVE_INFINITY);
  }

  @Test
  public void shouldForgiveARoundInWhichManyLossesAreNoticed() {
    for (int i = 0; i < 100; i++) {
      round(120, 10, true);
      round(120, 10, true);
      round(120, 10, true);
      assertFalse(round(10, 90, true));
    }
    assertEquals(limit.chunks(), Double.POSITIVE_INFINITY);
  }

  /** What is lost beyond a path that carries 100 is not brought by a larger window. */
  @Test
  public void shouldTakeARaiseBackThatBringsNoMore() {
    overflow();
    double most = 0;
    int raised = 0;
    for (int i = 0; i < 500; i++) {
      int sent = (int) limit.chunks();
      round(Math.min(sent, CARRIES), Math.max(0, sent - CARRIES), true);
      most = Math.max(most, limit.chunks());
      raised += limit.chunks() > 90 ? 1 : 0;
    }
    assertEquals(most, 90 * 1.25);
    assertTrue(raised > 0 && raised < 50, "raised in " + raised + " of 500 rounds");
  }

  @Test
  public void shouldKeepRaisesThatBringMore() {
    overflow();
    for (int i = 0; i < 60; i++) {
      int sent = (int) limit.chunks();
      round(sent - sent / 5, sent / 5, true); // chance takes a fifth, however many there are
    }
    assertTrue(limit.chunks() > 500, "limit " + limit.chunks());
  }

  @Test
  public void shouldStayWhereNobodyUsesIt() {
    overflow();
    for (int i = 0; i < 500; i++) {
      round(10, 0, false);
    }
    assertEquals(limit.chunks(), 90.0);
  }

  @Test
  public void shouldForgetWhatItLearntBeforeAPause() {
    overflow();
    limit.forget();
    assertEquals(limit.chunks(), Double.POSITIVE_INFINITY);
  }

  @Test
  public void shouldFallByHalfAtMostWhereItOverflowsAgain() {
    overflow();
    round(90, 0, true);
    round(90, 0, true);
    for (int i = 0; i < 3; i++) {
      assertFalse(round(5, 200, true));
    }
    assertTrue(round(5, 200, true));
    assertEquals(limit.chunks(), 45.0);
  }
}
