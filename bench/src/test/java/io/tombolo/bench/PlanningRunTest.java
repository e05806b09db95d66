// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.Test;

public class PlanningRunTest {

  @Test
  public void shouldPlanNoMoreStepsForMoreRanksOfAsManyClusters() {
    int few = PlanningRun.of(64, 4, 1 << 20, false).steps();
    PlanningRun many = PlanningRun.of(16_384, 4, 1 << 20, false);
    assertEquals(many.steps(), few);
    assertEquals(many.provenBytes(), 0);
  }

  @Test
  public void shouldProveOneSegmentOfAllRanks() {
    PlanningRun run = PlanningRun.of(8, 3, 256 << 20, true);
    assertEquals(run.provenBytes(), 2 << 20);
    assertTrue(run.steps() > 0);
  }
}
