// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.VendorException;
import org.testng.annotations.Test;

/** How a channel over simulated rails ends when its peer does. A seed decides what comes when. */
public final class RailEndsTest {
  private static final int SEEDS = 200;
  private static final int MESSAGES = 5;
  private static final long SECOND_NS = 1_000_000_000;

  /** The ends of the rails overtake the word that the message is complete. */
  @Test
  public void shouldKnowWhatThePeerGotBeforeItClosed() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      WorldPair pair = new WorldPair(seed);
      int copies = seed % 2 == 0 ? 1 : 26; // so that several are complete at once, too
      pair.rails().forEach(rail -> rail.copiesWithinBits(copies));
      pair.post(0, 3_000, MESSAGES);
      while (pair.received() < MESSAGES) {
        pair.round(0);
        pair.round(1);
      }
      pair.side(1).close();
      TomboloException end =
          pair.sent() < MESSAGES || seed % 4 < 2 ? pair.endOfFirst(10 * SECOND_NS) : null;
      assertEquals(pair.sent(), MESSAGES, "seed " + seed + ": " + end);
    }
  }

  /** Its rails' own time-outs tell, one after the other; the control connection says nothing. */
  @Test
  public void shouldBlameThePeerSoonAfterAllRailsHaveFailed() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      WorldPair pair = new WorldPair(seed);
      pair.post(0, 20_000, 1);
      for (int round = 0; round < seed; round++) {
        pair.round(round % 2);
      }
      pair.rails().forEach(WorldRail::fallSilent);
      pair.rails().forEach(rail -> pair.world().within(SECOND_NS, () -> rail.die(0)));
      TomboloException end = pair.endOfFirst(5 * SECOND_NS);
      assertEquals(end.getClass(), PeerFailedException.class, "seed " + seed + ": " + end);
      assertTrue(end.getMessage().contains("all 2 rails have failed"), end.getMessage());
    }
  }

  /** What the user gave it to open is what a recovery gets, and no more. */
  @Test
  public void shouldGiveUpAPeerThatDoesNotAnswerWithinTheChannelsBudget() {
    WorldPair pair = new WorldPair(1);
    while (!pair.side(0).isReady()) {
      pair.round(0);
      pair.round(1);
    }
    long startNs = pair.world().read();
    pair.rails().get(1).die(0);
    TomboloException end = pair.endOfFirst(10 * WorldSide.BUDGET.toNanos());
    assertEquals(end.getClass(), DeadlineExceededException.class, end + "");
    long tookNs = pair.world().read() - startNs;
    assertTrue(tookNs >= WorldSide.BUDGET.toNanos(), tookNs + "");
    assertTrue(tookNs < WorldSide.BUDGET.toNanos() + SECOND_NS, tookNs + "");
  }

  /** The peer's state waits here behind copies that take long, and its end behind that. */
  @Test
  public void shouldSeeThePeersEndWhileCopiesHoldUpTheRecovery() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      WorldPair pair = new WorldPair(seed);
      pair.rails().forEach(rail -> rail.copiesTake(40 * SECOND_NS));
      pair.post(1, 20_000, 1);
      pair.run(SECOND_NS);
      pair.rails().get(1).die(0);
      pair.run(SECOND_NS);
      pair.side(1).close();
      TomboloException end = pair.endOfFirst(10 * SECOND_NS);
      assertEquals(end.getClass(), PeerFailedException.class, "seed " + seed + ": " + end);
    }
  }

  /** Another rail would not help, and none is to blame. */
  @Test
  public void shouldEndWithTheErrorOfADeviceOrOfResourcesThatRanOut() {
    for (TomboloException cause :
        new TomboloException[] {
          new VendorException("cannot copy", 700), new ResourceException("no more files")
        }) {
      WorldPair pair = new WorldPair(1);
      pair.run(SECOND_NS);
      pair.rails().get(1).die(0, cause);
      assertEquals(pair.endOfFirst(SECOND_NS), cause);
      assertEquals(pair.side(0).live(), 0b11);
    }
  }

  /** The next NIC may have room. */
  @Test
  public void shouldGoOnWithoutARailThatHasNoRoomForAChannel() {
    WorldPair pair = new WorldPair(1, 10 * SECOND_NS);
    pair.post(0, 20_000, 1);
    pair.rails().get(1).die(0, new ResourceException("no more queue pairs"));
    pair.run(20 * SECOND_NS);
    assertEquals(pair.received(), 1);
    assertEquals(pair.side(0).live(), 0b01);
  }
}
