// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** How a queue runs empty, and what is counted meanwhile. */
public final class DrainTest {
  private static final int WINDOW = 100;
  private static final long FALL_NS = 1000;
  private static final long REFILL_NS = 2000;

  private Drain drain;

  @BeforeMethod
  public void begin() {
    drain = new Drain();
    assertEquals(drain.mostChunks(), Double.POSITIVE_INFINITY);
    drain.begin(WINDOW, 80, FALL_NS);
  }

  private void arrive(int chunks) {
    for (int chunk = 0; chunk < chunks; chunk++) {
      drain.onArrival(1, WINDOW);
    }
  }

  @Test
  public void shouldLeavePartOfThePathIdleWithoutStoppingAtOnce() {
    arrive(WINDOW / 2);
    assertEquals(drain.mostChunks(), 74, 0.1);
    arrive(WINDOW / 2);
    assertEquals(drain.mostChunks(), 0.6 * 80, 0.1);
    arrive(WINDOW);
    assertEquals(drain.mostChunks(), 0.6 * 80, 0.1);
  }

  @Test
  public void shouldRefillByTwoChunksForOne() {
    arrive(WINDOW);
    drain.endRound(REFILL_NS);
    arrive(10);
    assertEquals(drain.mostChunks(), 58, 0.1);
  }

  @Test
  public void shouldCountOnlyWhatWasSentWhileThePathWasEmpty() {
    arrive(WINDOW);
    drain.onLoss(FALL_NS + 1);
    drain.endRound(REFILL_NS);
    drain.onLoss(FALL_NS - 1);
    drain.onLoss(FALL_NS);
    drain.onLoss(REFILL_NS);
    arrive(40);
    drain.endRound(3000);
    assertTrue(drain.hasMeasured());
    assertFalse(drain.hasCounted());
    drain.onLoss(REFILL_NS - 1);
    arrive(60);
    drain.endRound(4000);
    assertTrue(drain.hasCounted());
    assertEquals(drain.arrived(), 40);
    assertEquals(drain.lost(), 2);
  }

  @Test
  public void shouldEndWhenTheWindowIsFull() {
    arrive(WINDOW);
    drain.endRound(REFILL_NS);
    arrive(40);
    drain.endRound(3000);
    arrive(40);
    assertTrue(drain.isUnderWay());
    drain.endRound(4000);
    drain.refill();
    arrive(1);
    assertFalse(drain.isUnderWay());
    assertEquals(drain.mostChunks(), Double.POSITIVE_INFINITY);
  }
}
