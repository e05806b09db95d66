// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

public class OverflowMeterTest {
  private static final int WINDOW = 100;

  private OverflowMeter meter;

  @BeforeMethod
  public void begin() {
    meter = new OverflowMeter();
  }

  private void round(int arrived, int lost) {
    meter.onArrival(arrived);
    for (int chunk = 0; chunk < lost; chunk++) {
      meter.onLoss();
    }
  }

  @Test
  public void shouldTakeWhatADrainLosesForChance() {
    meter.learn(500, 100);
    assertEquals(meter.chance(), 0.2, 0.001);
    for (int i = 0; i < 1000; i++) {
      round(80, 20);
      assertFalse(meter.overflows(WINDOW), "round " + i);
    }
  }

  @Test
  public void shouldSeeAnOverflowOnAPathThatLosesNothingElse() {
    meter.learn(500, 0);
    round(95, 5);
    assertTrue(meter.overflows(WINDOW));
    meter.clear();
    assertFalse(meter.overflows(WINDOW));
  }

  @Test
  public void shouldSeeAnOverflowBeyondChance() {
    meter.learn(500, 25);
    for (int i = 0; i < 10; i++) {
      round(85, 15);
    }
    assertTrue(meter.overflows(WINDOW));
  }

  /** One chunk a few round trips is no sign of anything. */
  @Test
  public void shouldAllowForLossesThatAreRare() {
    meter.learn(500, 0);
    for (int i = 0; i < 1000; i++) {
      round(WINDOW * 5, 1);
      assertFalse(meter.overflows(WINDOW));
    }
  }

  @Test
  public void shouldForgetChanceThatIsOver() {
    meter.learn(500, 100);
    for (int i = 0; i < 20; i++) {
      meter.learn(60, 0);
    }
    assertTrue(meter.chance() < 0.03, "chance " + meter.chance());
  }

  @Test
  public void shouldTellMoreThanChanceFromChance() {
    meter.learn(500, 100);
    assertFalse(meter.isMoreThanChance(80, 20));
    assertTrue(meter.isMoreThanChance(70, 30));
  }

  /** What is known of few chunks allows for more. */
  @Test
  public void shouldAllowForMoreWhileLittleIsKnown() {
    meter.learn(10, 0);
    double early = meter.allowance();
    meter.learn(400, 0);
    assertTrue(meter.allowance() < early / 10, early + " to " + meter.allowance());
  }
}
