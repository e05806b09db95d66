// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.PeerFailedException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Rails that fail in the middle of conversations. */
public final class RailFailuresTest {
  private static final SlotGeometry SLOTS = new SlotGeometry(4, 4096);

  @DataProvider
  public Object[][] seeds() {
    return new SplittableRandom(Long.getLong("tombolo.seed", 20261126))
        .longs(24)
        .mapToObj(seed -> new Object[] {seed})
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "seeds")
  public void shouldDeliverEveryByteOnceWhenRailsAreCutAtAnyTime(long seed) {
    assertEquals(wrongOverTcp(seed, true), 0, "seed " + seed);
  }

  /** Without the fence, a copy that is late lands in memory that was given back. */
  @Test
  public void shouldNoticeWhenNothingFencesTheDeadRail() {
    assertTrue(
        new SplittableRandom(1).longs(24).anyMatch(seed -> wrongOverTcp(seed, false) > 0),
        "nobody missed the fence");
  }

  private static int wrongOverTcp(long seed, boolean isFenced) {
    SplittableRandom random = new SplittableRandom(seed);
    int[] rates = random.ints(2 + random.nextInt(2), 1, 5).toArray();
    return wrongMessages(random, new RailsPair(SLOTS, isFenced, rates));
  }

  /**
   * Plays a conversation over {@code pair}, which it takes, in which all rails but one may be cut;
   * how many messages were wrong.
   */
  static int wrongMessages(SplittableRandom random, RailsPair pair) {
    try (ReusedMemoryFlow up = new ReusedMemoryFlow(pair.fromLow, pair.fromHigh, random.split());
        ReusedMemoryFlow down = new ReusedMemoryFlow(pair.fromHigh, pair.fromLow, random.split());
        pair) {
      int spared = random.nextInt(pair.lowRails.size());
      ReusedMemoryFlow.Ends ends = new ReusedMemoryFlow.Ends(up, down);
      pair.until(
          () -> {
            ends.step();
            if (random.nextInt(200) == 0) {
              cut(random.nextBoolean() ? pair.lowRails : pair.highRails, spared, random);
            }
            return ends.areDone();
          });
      pair.until(ends::areQuiet);
      assertEquals(pair.fromLow.sentBytes(), up.bytes());
      assertEquals(pair.fromLow.receivedBytes(), down.bytes());
      return up.wrong() + down.wrong();
    }
  }

  private static void cut(List<CutRail> rails, int spared, SplittableRandom random) {
    int rail = random.nextInt(rails.size());
    if (rail != spared) {
      rails.get(rail).cut();
    }
  }

  @Test
  public void shouldSayWhichRailFailedFirstWhenNoneIsLeft() {
    try (RailsPair pair = new RailsPair(SLOTS, true, 1, 1)) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      pair.lowRails.get(1).cut();
      pair.until(() -> pair.lowRails.get(0).opened() == 2 && pair.highRails.get(0).opened() == 2);
      pair.lowRails.get(0).cut();
      for (Channel side : List.of(pair.fromLow, pair.fromHigh)) {
        PeerFailedException error =
            expectThrows(PeerFailedException.class, () -> pair.until(() -> !side.isOpen()));
        assertTrue(
            error.getMessage().contains("all 2 rails have failed: rail 1 (nic1)"), error + "");
      }
    }
  }

  /** TCP would wait for a quarter of an hour. */
  @Test(timeOut = 60_000)
  public void shouldGoOnWhenARailFallsSilent() {
    try (RailsPair pair = new RailsPair(SLOTS, true, 1, 1);
        TestMemory source = new TestMemory(100_000, 0, 0).fill(1);
        TestMemory target = new TestMemory(100_000, 0, 0)) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      pair.lowRails.get(1).silence();
      pair.fromHigh.receive(1, target, 0, 100_000);
      pair.fromLow.send(1, source, 0, 100_000);
      pair.until(() -> pair.fromHigh.poll(new Log()) == 1);
      assertEquals(target.get(0, 100_000), source.get(0, 100_000));
      assertEquals(pair.lowRails.stream().map(CutRail::opened).toList(), List.of(2, 1));
    }
  }

  @Test
  public void shouldGoOnWhenTheFabricOfARailFails() {
    shouldGoOnAfter(pair -> pair.lowRails.get(1).breakFabric());
  }

  @Test
  public void shouldGoOnWhenTheFabricOfARailFailsAtRest() {
    shouldGoOnAfter(
        pair -> {
          pair.until(() -> WantedRest.of(pair.low).mayRest());
          pair.lowRails.get(1).breakFabricAtRest();
          assertFalse(WantedRest.of(pair.low).mayRest(), "nobody would tell its channels");
        });
  }

  /** Nothing else would tell the channel, which is the rail's own. */
  @Test
  public void shouldFailWithTheOnlyRailToAPeer() {
    try (RailsPair pair = new RailsPair(SLOTS, true, new int[] {1, 1, 1}, new int[] {1})) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      pair.lowRails.get(0).breakFabric();
      expectThrows(FabricException.class, pair.low::progress);
    }
  }

  @Test
  public void shouldGoOnWhenARailCannotBeClosedAtOnce() {
    shouldGoOnAfter(
        pair -> {
          pair.lowRails.get(1).refuseToClose(5);
          pair.lowRails.get(1).cut();
        });
  }

  /** The memory of its messages could still be written to. */
  @Test
  public void shouldNotGoOnWhileARailCannotBeClosed() {
    try (RailsPair pair = new RailsPair(SLOTS, true, 1, 1)) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      pair.lowRails.get(1).refuseToClose(2000);
      pair.lowRails.get(1).cut();
      for (int step = 0; step < 500; step++) {
        pair.step();
      }
      assertEquals(pair.highRails.stream().map(CutRail::opened).toList(), List.of(1, 1));
      pair.until(() -> pair.highRails.get(0).opened() == 2);
    }
  }

  private static void shouldGoOnAfter(Consumer<RailsPair> fault) {
    try (RailsPair pair = new RailsPair(SLOTS, true, 1, 1);
        TestMemory source = new TestMemory(100_000, 0, 0).fill(1);
        TestMemory target = new TestMemory(100_000, 0, 0)) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      fault.accept(pair);
      pair.fromHigh.receive(1, target, 0, 100_000);
      pair.fromLow.send(1, source, 0, 100_000);
      pair.until(() -> pair.fromHigh.poll(new Log()) == 1);
      assertEquals(target.get(0, 100_000), source.get(0, 100_000));
    }
  }

  @Test
  public void shouldCountOnlyWhatBothSidesHave() {
    try (RailsPair pair = new RailsPair(SLOTS, true, new int[] {1, 1, 1}, new int[] {1, 1})) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      assertEquals(pair.lowRails.stream().map(CutRail::opened).toList(), List.of(1, 1, 0));
      assertEquals(pair.highRails.stream().map(CutRail::opened).toList(), List.of(1, 1));
    }
  }

  @Test
  public void shouldBePlainWhenThePeerHasOneRail() {
    try (RailsPair pair = new RailsPair(SLOTS, true, new int[] {1, 1, 1}, new int[] {1})) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      assertEquals(pair.fromLow.fabric(), pair.lowRails.get(0));
      assertEquals(pair.high.address(), pair.highRails.get(0).address());
    }
  }

  @Test
  public void shouldUseRailsInProportionToTheirRates() {
    try (RailsPair pair = new RailsPair(new SlotGeometry(4, 65536), true, 1, 3, 4);
        TestMemory source = new TestMemory(8 << 20, 0, 0);
        TestMemory target = new TestMemory(8 << 20, 0, 0)) {
      assertTrue(pair.fromHigh.receive(1, target, 0, 8 << 20));
      assertTrue(pair.fromLow.send(1, source, 0, 8 << 20));
      pair.until(() -> pair.fromHigh.poll(new Log()) == 1);
      long[] sent = pair.lowRails.stream().mapToLong(CutRail::sentBytes).toArray();
      assertEquals(sent[0] + sent[1] + sent[2], 8 << 20);
      assertTrue(Math.abs(sent[0] - (1 << 20)) <= 65536, sent[0] + " of 8 MiB");
      assertTrue(Math.abs(sent[1] - (3 << 20)) <= 65536, sent[1] + " of 8 MiB");
    }
  }
}
