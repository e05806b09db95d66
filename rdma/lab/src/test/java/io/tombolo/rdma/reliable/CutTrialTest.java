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
    trial.begin(100, 0.1);
    trial.endRound(60, 6);
    assertFalse(trial.isInVain(85), "less than a window is too little to tell");
    trial.endRound(80, 8);
    assertTrue(trial.isInVain(85));
    assertEquals(trial.sent(), 154);
    assertEquals(trial.lost(), 14);
    assertEquals(trial.takeBack(), 100.0);
    assertFalse(trial.isInVain(85));
    for (int i = 0; i < 5; i++) {
      trial.endRound(80, 8);
    }
    assertFalse(trial.isInVain(85), "it is over");
  }

  @Test
  public void shouldLetACutStandThatHasHelped() {
    trial.begin(100, 0.1);
    for (int i = 0; i < 100; i++) {
      trial.endRound(84, 1);
      assertFalse(trial.isInVain(85));
    }
  }
}
