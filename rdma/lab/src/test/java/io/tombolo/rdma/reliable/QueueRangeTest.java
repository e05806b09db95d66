// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Round trips in nanoseconds, on a path of 1000, without noise. */
public class QueueRangeTest {
  private static final long PATH_NS = 1000;
  private static final long QUEUED_NS = 1200;
  private static final long FULL_NS = 1400;

  private QueueRange range;

  @BeforeMethod
  public void begin() {
    range = new QueueRange();
  }

  @Test
  public void shouldBelieveADrainThatFindsTheEmptyPath() {
    drain(PATH_NS, FULL_NS);
    assertTrue(range.isDrained());
    drain(PATH_NS + PATH_NS / 32);
    assertTrue(range.isDrained());
  }

  /** Which does not overflow. */
  @Test
  public void shouldBelieveADrainThatLeavesLessThanHalfOfTheLongestQueue() {
    round(PATH_NS);
    round(FULL_NS);
    drain(QUEUED_NS - 1);
    assertTrue(range.isDrained());
    drain(QUEUED_NS);
    assertFalse(range.isDrained());
  }

  @Test
  public void shouldLearnNothingFromADrainWithoutARoundTrip() {
    drain(PATH_NS);
    drain();
    assertTrue(range.isDrained());
    round(FULL_NS);
    drain(FULL_NS);
    drain();
    assertFalse(range.isDrained());
  }

  @Test
  public void shouldBeIdleAfterEightRoundTripsWithoutAQueue() {
    for (int i = 0; i < 7; i++) {
      round(PATH_NS);
    }
    round(FULL_NS);
    for (int i = 0; i < 8; i++) {
      assertFalse(range.isIdle());
      round(PATH_NS);
    }
    assertTrue(range.isIdle());
  }

  @Test
  public void shouldNotBelieveADrainThatLeavesAQueue() {
    drain(PATH_NS);
    round(FULL_NS);
    drain(QUEUED_NS, FULL_NS);
    assertFalse(range.isDrained());
  }

  /** Also where the queue is never empty, as that of a slow link is. */
  @Test
  public void shouldSeeWhetherTheQueueWasLessThanHalfFullForTwoRoundTrips() {
    round(PATH_NS);
    round(FULL_NS);
    assertLow(false, FULL_NS);
    assertLow(false, 1199);
    assertLow(true, 1199);
    assertLow(false, 1200);
    assertLow(false, 1199);
  }

  /** Nothing is known of a longer queue; what is within the noise is none. */
  @Test
  public void shouldTakeAnEmptyPathForLow() {
    assertLow(true, PATH_NS, PATH_NS + PATH_NS / 32);
    assertLow(false, PATH_NS + PATH_NS / 32 + 1);
  }

  @Test
  public void shouldForgetAShorterPathInTime() {
    drain(PATH_NS);
    round(PATH_NS);
    drain(QUEUED_NS);
    int untilBelieved = 0;
    while (!range.isDrained()) {
      untilBelieved++;
      round(untilBelieved % 2 == 0 ? QUEUED_NS : FULL_NS);
      drain(QUEUED_NS);
      assertTrue(untilBelieved < 1000);
    }
    assertTrue(untilBelieved >= 256 && untilBelieved <= 512, untilBelieved + " round trips");
  }

  @Test
  public void shouldBelieveALongerPathOnceItsRoundTripIsSteady() {
    drain(PATH_NS);
    round(PATH_NS);
    for (int i = 0; i < 64; i++) {
      round(FULL_NS);
      drain(FULL_NS);
      assertFalse(range.isDrained(), "round trip " + i);
    }
    round(FULL_NS);
    drain(FULL_NS);
    assertTrue(range.isDrained());
  }

  /** By less than an eighth of what the path is longer. */
  @Test
  public void shouldBelieveALongerPathWhoseRoundTripJitters() {
    drain(PATH_NS);
    round(PATH_NS);
    for (int i = 0; i < 70; i++) {
      round(i % 2 == 0 ? 2000 : 2120);
    }
    drain(2000);
    assertTrue(range.isDrained());
  }

  @Test
  public void shouldTakeAQueueThatMovesForNoLongerPath() {
    drain(PATH_NS);
    round(PATH_NS);
    for (int i = 0; i < 250; i++) {
      round(i % 60 == 0 ? QUEUED_NS : FULL_NS);
    }
    drain(QUEUED_NS);
    assertFalse(range.isDrained());
  }

  private void assertLow(boolean low, long... rttsNs) {
    sample(rttsNs);
    assertEquals(range.isLow(rttsNs[0], 0), low);
    range.endRound(rttsNs[0], 0);
  }

  /** One with a queue that stands. */
  private void round(long rttNs) {
    range.sample(rttNs);
    range.endRound(rttNs, 0);
  }

  private void drain(long... rttsNs) {
    range.beginDrain();
    sample(rttsNs);
    range.endDrain(0);
  }

  private void sample(long... rttsNs) {
    for (long rttNs : rttsNs) {
      range.sample(rttNs);
    }
  }
}
