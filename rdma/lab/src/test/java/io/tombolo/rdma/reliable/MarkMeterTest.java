// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.Test;

/** By RFC 8257 §3.3, with g = 1/16 and α = 1 at first. */
public class MarkMeterTest {
  private final MarkMeter marks = new MarkMeter();

  @Test
  public void shouldGiveUpHalfOfTheSmoothedPart() {
    marks.endRound(100);
    assertFalse(marks.any());
    assertEquals(marks.kept(), 1 - 0.9375 / 2, 1e-9);
    marks.onMarks(50);
    marks.endRound(100);
    assertTrue(marks.any());
    assertEquals(marks.kept(), 1 - (0.9375 * 15 / 16 + 0.5 / 16) / 2, 1e-9);
    for (int round = 0; round < 200; round++) {
      marks.endRound(100);
    }
    assertFalse(marks.any());
    assertEquals(marks.kept(), 1, 1e-4);
    marks.onMarks(3); // control packets are marked, too
    marks.endRound(0);
    assertEquals(marks.kept(), 1 - 1 / 32.0, 1e-4);
  }
}
