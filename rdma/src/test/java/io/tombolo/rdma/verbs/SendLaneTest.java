// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertNotEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/** How the lane of an unreliable connection ends. */
public final class SendLaneTest {
  private static final int WRITES = 10;

  @BeforeClass
  public void beAlone() {
    Devices.enterOwnNetwork();
  }

  @AfterClass(alwaysRun = true)
  public void joinTheOthers() {
    Devices.leaveOwnNetwork();
  }

  /** Nobody takes the completions: as far as the lane knows, the NIC is not done. */
  @Test
  public void shouldFreeItsSlotsButNotItsNumberWhenItEndsWithWritesUnderWay() {
    try (TwoEnds both = new TwoEnds(PairType.UC, false);
        RestingPairs resting = new RestingPairs()) {
      QueuePair pair = both.left.pair;
      SendLane lane = new SendLane(pair, new SlotsInOrder(End.DEPTH));
      IntStream.range(0, WRITES).forEach(slot -> write(lane, slot, both));
      lane.flush();
      pair.abort();
      assertFalse(lane.isIdle());

      List<Integer> freed = new ArrayList<>();
      lane.close(freed::add, resting);
      assertEquals(freed, IntStream.range(0, WRITES).boxed().toList());
      assertEquals(both.left.poll(), Optional.empty(), "what completes of a pair that is reset");

      resting.progress(0);
      resting.progress(LossySizing.PACKET_LIFE_NS - 1);
      assertNotEquals(both.left.nextNumber(), pair.number(), "early");
      resting.progress(LossySizing.PACKET_LIFE_NS);
      assertEquals(both.left.nextNumber(), pair.number(), "after the rest");
    }
  }

  private static void write(SendLane lane, int slot, TwoEnds both) {
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
}
