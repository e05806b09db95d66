// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.TestMemory;
import io.tombolo.rdma.staged.Postings;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * From the card that says whether a peer asks for slots to the slab that gives them: two ports of
 * the emulated HCA, and more channels whose peers are silent than there are slots for those.
 */
public final class SlotsOnDemandTest {
  private static final int SILENT = 70;
  private static final int HALF = LossySizing.SLAB_SLOTS / 2;
  private static final int SIZE = 1000;

  /** In which the slab would give what it must not. */
  private static final int ROUNDS = 100;

  @DataProvider
  public Object[][] peers() {
    return new Object[][] {{"asks", true}, {"is of a former build", false}};
  }

  @Test(dataProvider = "peers", timeOut = 180_000)
  public void shouldGiveASlotToAPeerThatTalksBesideSilentOnes(String peer, boolean asks) {
    try (TestMemory source = new TestMemory(SIZE, 0, 0).fill(1);
        TestMemory target = new TestMemory(SIZE, 0, 0);
        LossySide low = new LossySide(PairType.UC, 0);
        LossySide high = new LossySide(PairType.UC, 1)) {
      for (int i = 0; i < SILENT; i++) {
        Postings silent = low.join(high, asks).there();
        assertTrue(silent.receive(0, target, 0, SIZE));
      }
      LossySide.Ends ends = low.join(high, asks);
      shouldHandOut(asks ? HALF : SILENT, low, high);

      assertTrue(ends.there().receive(0, target, 0, SIZE));
      shouldHandOut(asks ? HALF : SILENT + 1, low, high); // silent still, as far as it shows

      assertTrue(ends.here().send(0, source, 0, SIZE));
      LossySide.until(ends.there().receives()::hasUnreported, low, high);
      assertEquals(target.get(0, SIZE), source.get(0, SIZE));
      long requests = ends.sender().protocolCounters().orElseThrow().grantsRequested;
      assertTrue(requests > 0 || !asks, "it has got a slot that it did not ask for");
    }
  }

  /** So many of high's slots, and then no more. */
  private static void shouldHandOut(int slots, LossySide low, LossySide high) {
    LossySide.until(() -> high.port.slab().slotsInUse() == slots, low, high);
    for (int round = 0; round < ROUNDS; round++) {
      low.progress();
      high.progress();
    }
    assertEquals(high.port.slab().slotsInUse(), slots);
  }
}
