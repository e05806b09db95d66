// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.TestMemory;
import java.time.Duration;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** A NIC is told of many requests by one write to its doorbell. */
public final class PostedBatchesTest {
  private static final int BATCH = 32;
  private static final int SIZE = 4 << 20;

  /**
   * What a round finds to send is up to how many acknowledgements came, of which there is one for
   * as few as four packets: half of that, as the first windows are short, and some rounds find
   * less.
   */
  private static final int PACKETS_PER_DOORBELL = 2;

  private static final Duration BUDGET = Duration.ofSeconds(60);

  @Test
  public void shouldRingOnceForABatch() {
    try (TwoEnds both = new TwoEnds(PairType.UC, false)) {
      SendLane lane = new SendLane(both.left.pair, new SlotsInOrder(End.DEPTH));
      assertEquals(doorbellsFor(1, lane, both), 1);
      assertEquals(doorbellsFor(BATCH, lane, both), 1);
      assertEquals(doorbellsFor(BATCH + 1, lane, both), 2);
      lane.close();
    }
  }

  private static long doorbellsFor(int count, SendLane lane, TwoEnds both) {
    long before = EmulatedHca.doorbells();
    for (int slot = 0; slot < count; slot++) {
      lane.add(
              SendRequests.WRITE_WITH_IMMEDIATE,
              slot,
              both.left.memory.address(),
              Long.BYTES,
              both.left.region.localKey(),
              false)
          .to(both.right.region.remoteAddress(), both.rightKey())
          .immediate(slot);
    }
    lane.flush();
    long rung = EmulatedHca.doorbells() - before;
    while (!lane.isIdle()) {
      lane.onCompleted(both.left.next().id(), slot -> {});
    }
    return rung;
  }

  @DataProvider
  public Object[][] types() {
    return new Object[][] {{PairType.UC}, {PairType.UD}};
  }

  @Test(dataProvider = "types", timeOut = 120_000)
  public void shouldRingSeldomForTheManyPacketsOfAMessage(PairType type) {
    Deadline deadline = Deadline.after(BUDGET);
    try (TestMemory source = new TestMemory(SIZE, 0, 0).fill(1);
        TestMemory target = new TestMemory(SIZE, 0, 0);
        LossySide low = new LossySide(type, 0);
        LossySide high = new LossySide(type, 1)) {
      LossySide.Ends ends = low.join(high);
      assertTrue(ends.there().receive(0, target, 0, SIZE));
      assertTrue(ends.here().send(0, source, 0, SIZE));
      long rung = 0;
      while (!ends.here().sends().hasUnreported()) {
        long before = EmulatedHca.doorbells();
        low.progress();
        rung += EmulatedHca.doorbells() - before;
        high.progress();
        assertFalse(deadline.isExpired(), "not sent within " + deadline);
      }
      long packets = ends.sender().protocolCounters().orElseThrow().chunksSent;
      System.out.printf("%s: %d doorbells for %d packets%n", type, rung, packets);
      assertTrue(rung * PACKETS_PER_DOORBELL <= packets, rung + " doorbells, " + packets);
    }
  }
}
