// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.Test;

public class MarkingCurveTest {
  @Test
  public void shouldMarkMoreAndMoreAndThenAll() {
    MarkingCurve red = new MarkingCurve(1000, 3000, 0.5);
    assertEquals(red.part(1000), 0, 0);
    assertEquals(red.part(2000), 0.25, 1e-9);
    assertEquals(red.part(3000), 0.5, 1e-9);
    assertEquals(red.part(3001), 1, 0);
    assertEquals(MarkingCurve.threshold(1000).part(1000), 0, 0);
    assertEquals(MarkingCurve.threshold(1000).part(1001), 1, 0);
    assertEquals(MarkingCurve.NONE.part(1e18), 0, 0);
  }

  @Test
  public void shouldMarkByWhatWaitsForTheLink() {
    FaultPlan plan =
        FaultPlan.calm(1000).withRate(1_000_000_000, 1 << 20).toBuilder()
            .marking(MarkingCurve.threshold(5000))
            .build();
    FaultyLink link = FaultyLink.of(1);
    link.depart(plan, 4000, 0);
    assertFalse(link.marks(plan, 0));
    link.depart(plan, 4000, 0);
    assertTrue(link.marks(plan, 0));
    assertFalse(link.marks(plan, 3000)); // a byte leaves each nanosecond
  }
}
