// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.plan.Resource;
import io.tombolo.runtime.plan.Resource.Kind;
import io.tombolo.topology.Topology;
import java.util.Optional;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** A step and the word that stands for it. */
public final class FlightStepTest {
  private static final int MOST_STEPS = (1 << 20) - 1;

  @DataProvider
  Object[][] steps() {
    return new Object[][] {
      {0, 1, new Resource(Kind.VENDOR, -1), "at step 0 of 1: the vendor's library"},
      {0, 2, new Resource(Kind.FLAT, -1), "at step 0 of 2: the library of all ranks"},
      {1, 2, new Resource(Kind.COPY, -1), "at step 1 of 2: copy"},
      {4, 7, new Resource(Kind.HOST, -1), "at step 4 of 7: arithmetic"},
      {5, 7, new Resource(Kind.SEND, 0), "at step 5 of 7: send to rank 0"},
      {
        MOST_STEPS - 1,
        MOST_STEPS,
        new Resource(Kind.RECEIVE, Topology.MAX_RANKS - 1),
        "at step 1048574 of 1048575: receive from rank 1048575"
      },
    };
  }

  @Test(dataProvider = "steps")
  public void shouldReadTheStepThatWasWritten(int number, int of, Resource at, String text) {
    long word = FlightStep.word(number, of, at);
    assertTrue(FlightStep.isSound(word));
    FlightStep step = FlightStep.decode(word).orElseThrow();
    assertEquals(step, new FlightStep(number, of, Optional.of(at)));
    assertEquals(step.toString(), text);
  }

  @Test
  public void shouldTellThatAllHaveEndedFromNothingKnown() {
    long word = FlightStep.allEnded(7);
    assertTrue(FlightStep.isSound(word));
    assertEquals(FlightStep.decode(word).orElseThrow().toString(), "all 7 steps ended");
    assertTrue(FlightStep.isSound(0));
    assertEquals(FlightStep.decode(0), Optional.empty());
  }

  /** More steps than it can name are as many as it can; the next field stays what it is. */
  @Test
  public void shouldNameTheLastStepItCanOfALongerPlan() {
    long word = FlightStep.word(MOST_STEPS + 5, MOST_STEPS + 9, new Resource(Kind.SEND, 2));
    assertTrue(FlightStep.isSound(word));
    assertEquals(
        FlightStep.decode(word).orElseThrow().toString(),
        "at step 1048575 of 1048575: send to rank 2");
  }

  @Test
  public void shouldFindWhatNoWriterWrites() {
    assertFalse(FlightStep.isSound(FlightStep.word(8, 7, new Resource(Kind.COPY, -1))));
    assertFalse(FlightStep.isSound(FlightStep.word(0, 0, new Resource(Kind.COPY, -1))));
    assertFalse(FlightStep.isSound(FlightStep.allEnded(7) + 1));
    assertFalse(FlightStep.isSound(15L << 60 | FlightStep.allEnded(7)));
  }
}
