// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Round trips in nanoseconds, on a path of 1000. */
public class RivalryTest {
  private static final long PATH_NS = 1000;

  private Rivalry rivalry;

  @BeforeMethod
  public void begin() {
    rivalry = new Rivalry();
    drained(PATH_NS, 100);
  }

  @Test
  public void shouldSeeRivalsInAQueueThatGrowsHoweverOftenItIsDrained() {
    drained(1300, 60);
    drained(1400, 40);
    assertFalse(rivalry.isPresent());
    drained(1500, 20);
    assertTrue(rivalry.isPresent());
    assertEquals(rivalry.chunksBefore(), 100, 0);
  }

  @Test
  public void shouldSeeNoneInAQueueThatRestsOrFalls() {
    for (int i = 0; i < 20; i++) {
      drained(i % 3 == 0 ? 1300 : 1400, 20);
      assertFalse(rivalry.isPresent());
    }
  }

  @Test
  public void shouldSeeNoneInAShortQueue() {
    for (int queueNs = 10; queueNs < PATH_NS / 8; queueNs += 20) {
      drained(PATH_NS + queueNs, 20);
      assertFalse(rivalry.isPresent());
    }
  }

  @Test
  public void shouldBelieveThemGoneAfterEightDrainsInARowThatLeaveNothing() {
    shouldSeeRivalsInAQueueThatGrowsHoweverOftenItIsDrained();
    for (int i = 0; i < 7; i++) {
      drained(PATH_NS, 50);
    }
    drained(1500, 50);
    for (int i = 0; i < 7; i++) {
      drained(PATH_NS, 50);
      assertTrue(rivalry.isPresent());
    }
    drained(PATH_NS, 50);
    assertFalse(rivalry.isPresent());
  }

  @Test
  public void shouldCountTheDrainsOfOthersToo() {
    shouldSeeRivalsInAQueueThatGrowsHoweverOftenItIsDrained();
    for (int round = 0; round < 8 * 25; round++) {
      assertTrue(rivalry.isPresent());
      rivalry.sample(round % 20 == 0 ? PATH_NS : 1500, 0);
      rivalry.endRound(false, 50, 0);
    }
    assertFalse(rivalry.isPresent());
  }

  @Test
  public void shouldTakeThoseForACrowdWhoseSmallWindowsOverflow() {
    shouldSeeRivalsInAQueueThatGrowsHoweverOftenItIsDrained();
    rivalry.onOverflow(28);
    assertTrue(rivalry.isPresent());
    rivalry.onOverflow(27);
    assertFalse(rivalry.isPresent());
    drained(1600, 40);
    drained(1700, 40);
    assertFalse(rivalry.isPresent(), "the proofs begin anew");
    drained(1800, 40);
    assertTrue(rivalry.isPresent());
  }

  private void drained(long rttNs, double chunks) {
    rivalry.sample(rttNs, 0);
    rivalry.endRound(true, chunks, 0);
  }
}
