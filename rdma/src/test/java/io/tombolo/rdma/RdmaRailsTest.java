// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.FabricException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.verbs.Devices;
import io.tombolo.rdma.verbs.VerbsFabrics;
import io.tombolo.rdma.verbs.VerbsSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Channels over two RDMA devices, of which one fails. */
public final class RdmaRailsTest {
  private static final int STEPS_BEFORE = 100;
  private static final int SEEDS = 8;
  private static final Duration MOMENT = Duration.ofMillis(200);

  /** The number of the first queue pair of a network's first NIC. */
  private static final String FIRST_PAIR = "17";

  @AfterMethod
  public void repair() {
    EmulatedHca.set("BREAK_PAIR", "0");
    Devices.leaveOwnNetwork();
    EmulatedHca.set("EIO_PERCENT", "0");
    EmulatedHca.set("FATAL", "");
    EmulatedHca.set("DOWN", "");
    EmulatedHca.set("LOSS_PERCENT", "0");
    EmulatedHca.set("STRAY_PERCENT", "0");
  }

  @Test
  public void shouldNameAllDevicesThatWouldBeUsed() {
    VerbsSettings two =
        VerbsSettings.from(Map.of("ibverbs", EmulatedHca.library(), "rdma_rails", "2"));
    assertTrue(
        VerbsFabrics.availability(two).toString().matches(".*emu-mlx5_0:1 .*, emu-mlx5_1:1 .*"));
    VerbsSettings named = two.withDevice("emu-mlx5_1");
    assertFalse(VerbsFabrics.availability(named).toString().contains("emu-mlx5_0"));
  }

  @DataProvider
  public Object[][] kinds() {
    return Kind.rows(ImmutableList.of(Kind.RAILS2_RC, Kind.RAILS2_UC, Kind.RAILS2_UD));
  }

  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldGoOnWhenADeviceIsReset(Kind kind) {
    shouldGoOn(kind, "FATAL", "emu-mlx5_1");
  }

  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldGoOnWhenTheFirstDeviceIsReset(Kind kind) {
    shouldGoOn(kind, "FATAL", "emu-mlx5_0");
  }

  /** Nobody says anything: the rail's own time-outs tell. */
  @Test(dataProvider = "kinds", timeOut = 300_000)
  public void shouldGoOnWhenACableIsUnplugged(Kind kind) {
    shouldGoOn(kind, "DOWN", "emu-mlx5_1");
  }

  /** Of more loss the retries of RC pairs are used up, on all rails. */
  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldDeliverEveryByteWhenPacketsGetLost(Kind kind) {
    shouldGoOn(kind, "LOSS_PERCENT", kind == Kind.RAILS2_RC ? "3" : "30");
  }

  @DataProvider
  public Object[][] single() {
    return Kind.rows(ImmutableList.of(Kind.EMU_RC, Kind.EMU_UC, Kind.EMU_UD));
  }

  /**
   * Both sides end the rail's channel while some of its packets are late, and then use its memory.
   */
  @Test(dataProvider = "single", timeOut = 300_000)
  public void shouldTakeNoLatePacketOfARailThatWasGivenUp(Kind kind) {
    EmulatedHca.set("STRAY_PERCENT", "10");
    EmulatedHca.set("STRAY_US", "30000");
    for (long seed = 1; seed <= SEEDS; seed++) {
      int wrong = RailFailuresTest.wrongMessages(new SplittableRandom(seed), rails(kind));
      assertEquals(wrong, 0, "seed " + seed);
    }
  }

  /** A rail over each device, which a test may cut. */
  private static RailsPair rails(Kind kind) {
    int[] rates = {1, 1};
    return new RailsPair(
        new SlotGeometry(4, 8192),
        true,
        rates,
        rates,
        (settings, nic) -> kind.openOn(nic, settings));
  }

  @DataProvider
  public Object[][] connected() {
    return Kind.rows(ImmutableList.of(Kind.EMU_RC, Kind.EMU_UC));
  }

  /**
   * As a NIC that the kernel takes away: for a moment it answers EIO, and only then it is known to
   * be gone. Until then it may touch memory of the messages under way, and nobody goes on.
   */
  @Test(dataProvider = "connected", timeOut = 120_000)
  public void shouldGoOnOnceADeviceIsGoneThatDidNotLetGoAtFirst(Kind kind) {
    SplittableRandom random = new SplittableRandom(5);
    RailsPair pair = rails(kind);
    try (ReusedMemoryFlow up = new ReusedMemoryFlow(pair.fromLow, pair.fromHigh, random.split());
        ReusedMemoryFlow down = new ReusedMemoryFlow(pair.fromHigh, pair.fromLow, random.split());
        pair) {
      pair.openAll();
      ReusedMemoryFlow.Ends ends = new ReusedMemoryFlow.Ends(up, down);
      for (int step = 0; step < STEPS_BEFORE; step++) {
        ends.step();
        pair.step();
      }
      EmulatedHca.set("EIO_PERCENT", "100");
      pair.lowRails.get(1).cut();
      Deadline moment = Deadline.after(MOMENT);
      pair.until(
          () -> {
            ends.step();
            return moment.isExpired();
          });
      assertEquals(channelsOf(pair), List.of(1, 1), "too early");
      EmulatedHca.set("EIO_PERCENT", "0");
      EmulatedHca.set("FATAL", EmulatedHca.device(1));
      pair.until(
          () -> {
            ends.step();
            return ends.areDone();
          });
      pair.until(ends::areQuiet);
      assertEquals(channelsOf(pair), List.of(2, 1));
      assertEquals(up.wrong() + down.wrong(), 0);
    }
  }

  /** No port and no device has failed: the rail is lost with the pair, and no other. */
  @Test(dataProvider = "single", timeOut = 120_000)
  public void shouldGoOnWhenAQueuePairBreaks(Kind kind) {
    SplittableRandom random = new SplittableRandom(6);
    Devices.enterOwnNetwork(kind.name()); // whose first pair is a rail's
    RailsPair pair = rails(kind);
    try (ReusedMemoryFlow up = new ReusedMemoryFlow(pair.fromLow, pair.fromHigh, random.split());
        ReusedMemoryFlow down = new ReusedMemoryFlow(pair.fromHigh, pair.fromLow, random.split());
        pair) {
      pair.openAll();
      ReusedMemoryFlow.Ends ends = new ReusedMemoryFlow.Ends(up, down);
      for (int step = 0; step < STEPS_BEFORE; step++) {
        ends.step();
        pair.step();
      }
      EmulatedHca.set("BREAK_PAIR", FIRST_PAIR);
      pair.until(
          () -> {
            ends.step();
            return ends.areDone();
          });
      pair.until(ends::areQuiet);
      assertEquals(channelsOf(pair), List.of(1, 2));
      assertEquals(up.wrong() + down.wrong(), 0);
    }
  }

  private static List<Integer> channelsOf(RailsPair pair) {
    return pair.lowRails.stream().map(CutRail::opened).toList();
  }

  private static void shouldGoOn(Kind kind, String fault, String value) {
    SplittableRandom random = new SplittableRandom(value.hashCode());
    FabricPair pair = new FabricPair(kind, new SlotGeometry(4, 8192));
    try (ReusedMemoryFlow up = new ReusedMemoryFlow(pair.fromLow, pair.fromHigh, random.split());
        ReusedMemoryFlow down = new ReusedMemoryFlow(pair.fromHigh, pair.fromLow, random.split());
        pair) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      ReusedMemoryFlow.Ends ends = new ReusedMemoryFlow.Ends(up, down);
      for (int step = 0; step < STEPS_BEFORE; step++) {
        ends.step();
        pair.low.progress();
        pair.high.progress();
      }
      EmulatedHca.set(fault, value);
      pair.until(
          () -> {
            ends.step();
            return ends.areDone();
          });
      pair.until(ends::areQuiet);
      assertEquals(up.wrong() + down.wrong(), 0);
    }
  }

  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldNameTheDeviceThatFailedFirstWhenNoneIsLeft(Kind kind) {
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(3000, 0, 0)) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      pair.fromHigh.receive(1, memory, 0, 3000);
      pair.fromLow.send(1, memory, 0, 3000);
      pair.until(() -> pair.fromLow.poll(new Log()) == 1);
      EmulatedHca.set("FATAL", "emu-mlx5_0,emu-mlx5_1");
      pair.fromHigh.receive(2, memory, 0, 3000); // a sleeping rail does not look after its device
      pair.fromLow.send(2, memory, 0, 3000);
      FabricException error =
          expectThrows(FabricException.class, () -> pair.until(() -> !pair.fromLow.isOpen()));
      String text = error.getMessage();
      assertTrue(text.matches("rank 0 to rank 1 .*all 2 rails .*rail \\d \\(emu-mlx5_.*"), text);
      assertTrue(text.endsWith(" received)"), "how far it came: " + text);
      Throwable rails = error.getCause();
      assertTrue(rails.getCause() instanceof FabricException, "of the rail: " + rails.getCause());
    }
  }
}
