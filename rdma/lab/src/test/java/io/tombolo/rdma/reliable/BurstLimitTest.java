// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

public class BurstLimitTest {
  private BurstLimit burst;

  @BeforeMethod
  public void begin() {
    burst = new BurstLimit();
  }

  @Test
  public void shouldLetTwoChunksGoForEachThatArrived() {
    burst.onArrival(40, 4);
    assertEquals(burst.mostChunks(), 49);
    burst.onSent();
    burst.onArrival(45, 4);
    assertEquals(burst.mostChunks(), 54);
  }

  /** A process that reads many acknowledgements at once may answer them all. */
  @Test
  public void shouldAddUpWhatArrivesBeforeItIsAnswered() {
    burst.onArrival(4, 4);
    burst.onArrival(0, 4);
    assertEquals(burst.mostChunks(), 17);
  }

  @Test
  public void shouldBeginAgainWhereNothingIsInFlight() {
    burst.onTimeout();
    assertEquals(burst.mostChunks(), 4);
    burst.onIdle(10);
    assertEquals(burst.mostChunks(), 16);
    burst.onIdle(100);
    assertEquals(burst.mostChunks(), 50);
  }
}
