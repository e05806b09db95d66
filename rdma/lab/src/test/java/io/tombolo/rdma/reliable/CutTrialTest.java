// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

public class CutTrialTest {
  private CutTrial trial;

  @BeforeMethod
  public void begin() {
    trial = new CutTrial();
  }

  @Test
  public void shouldTakeBackACutThatHasNotHelped() {
    trial.begin(100, 0.1, true);
    trial.endRound(true, 60, 6);
    assertFalse(trial.isInVain(85), "less than a window is too little to tell");
    trial.endRound(true, 80, 8);
    assertTrue(trial.isInVain(85));
    assertEquals(trial.sent(), 154);
    assertEquals(trial.lost(), 14);
    assertEquals(trial.takeBack(), 100.0);
    assertFalse(trial.isInVain(85));
    for (int i = 0; i < 5; i++) {
      trial.endRound(true, 80, 8);
    }
    assertFalse(trial.isInVain(85), "it is over");
  }

  @Test
  public void shouldLetACutStandThatHasHelped() {
    trial.begin(100, 0.1, true);
    for (int i = 0; i < 100; i++) {
      trial.endRound(true, 84, 1);
      assertFalse(trial.isInVain(85));
    }
  }

  /** What bursts lose before a cut is more than what they lose on average. */
  @Test
  public void shouldExpectMoreOfACutThanThatABurstIsOver() {
    trial.begin(100, 0.1, false);
    trial.endRound(true, 96, 4);
    assertTrue(trial.isInVain(85));
    trial.begin(100, 0.1, true);
    trial.endRound(true, 96, 4);
    assertFalse(trial.isInVain(85), "in a crowd the cut may have helped as little");
  }

  @Test
  public void shouldLookOnlyWhereNoQueueOverflows() {
    trial.begin(100, 0.1, true);
    trial.endRound(false, 80, 80);
    assertEquals(trial.sent(), 0);
  }

  /** Then the window before the cut is that of another time. */
  @Test
  public void shouldEndWhereverTheQueueStands() {
    trial.begin(100, 0.1, true);
    trial.endRound(true, 80, 80);
    for (int i = 0; i < 62; i++) {
      trial.endRound(false, 80, 80);
    }
    assertTrue(trial.isInVain(85));
    trial.endRound(false, 80, 80);
    assertFalse(trial.isInVain(85));
  }
}
