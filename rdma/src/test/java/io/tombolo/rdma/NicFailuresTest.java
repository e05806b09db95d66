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
import java.time.Duration;
import java.util.List;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * What becomes of channels when something happens to the NIC beneath them. That is no {@link
 * io.tombolo.base.errors.PeerFailedException}: whose NIC it is knows why, and its peers do not.
 */
public final class NicFailuresTest {
  private static final int SIZE = 3000;

  /** Sooner than a peer is given up for being silent; a busy machine takes seconds. */
  private static final Duration SOON = Duration.ofSeconds(8);

  /** Shorter than rc repeats for half a second, and the others' protocol for ten. */
  private static final Duration OUTAGE = Duration.ofMillis(150);

  /** Receives that all channels of a process share. */
  private static final int SHARED_RECEIVES = 2048;

  @AfterMethod
  public void repair() {
    EmulatedHca.set("FATAL", "");
    EmulatedHca.set("GID_CHANGED", "");
    EmulatedHca.set("DOWN", "");
    EmulatedHca.set("DOWN_MS", "0");
    EmulatedHca.set("BREAK_AFTER", "0");
  }

  @DataProvider
  public Object[][] kinds() {
    return Kind.rows(ImmutableList.of(Kind.EMU_RC, Kind.EMU_UC, Kind.EMU_UD));
  }

  @Test(dataProvider = "kinds")
  public void shouldSayThatTheNicWasResetWhenNothingElseTells(Kind kind) {
    String text = failure(kind, "FATAL", SOON);
    assertTrue(text.matches("rank . to rank . over .*emu-mlx5_.*") && text.contains("dmesg"), text);
  }

  @Test(dataProvider = "kinds", timeOut = 300_000)
  public void shouldNameThePortWhoseCableIsUnplugged(Kind kind) {
    String text = failure(kind, "DOWN", FabricPair.BUDGET);
    assertTrue(
        text.matches("rank 0 to rank 1 over .*emu-mlx5_0.*") && text.contains("look at the cable"),
        text);
  }

  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldGoOnOnceThePortIsActiveAgain(Kind kind) {
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(SIZE, 0, 0)) {
      exchange(pair.fromLow, pair.fromHigh, pair, memory);
      EmulatedHca.set("DOWN_MS", Long.toString(OUTAGE.toMillis()));
      Deadline outage = Deadline.after(OUTAGE);
      EmulatedHca.set("DOWN", "emu-mlx5_0");
      exchange(pair.fromLow, pair.fromHigh, pair, memory);
      assertTrue(outage.isExpired(), "a message came through a port that is down");
    }
  }

  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldNameTheAddressThatIsGoneWhenThePeerFallsSilent(Kind kind) {
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(SIZE, 0, 0)) {
      exchange(pair.fromLow, pair.fromHigh, pair, memory);
      EmulatedHca.set("GID_CHANGED", "emu-mlx5_0");
      String text = failure(pair, memory);
      assertTrue(text.startsWith("rank 0 to rank 1 over " + pair.low.name()), text);
      assertTrue(text.contains("port 1 of emu-mlx5_0 has no GID"), text);
      assertTrue(text.contains("lost that address; give it back, or choose another GID"), text);
      assertTrue(text.contains("rdma_gid_index"), text);
    }
  }

  /**
   * The first packet's: of a message over rc, which opens without any; else of an opening, of which
   * uc has nothing more to flush if that packet was its last.
   */
  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldNameTheQueuePairThatBreaks(Kind kind) {
    EmulatedHca.set("BREAK_AFTER", "1");
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(SIZE, 0, 0)) {
      String text = failure(pair, memory);
      String broken = ".*emu-mlx5_0:1 .*[:;] queue pair \\d+ has failed: .*see dmesg.*";
      assertTrue(text.matches("rank 0 to rank 1 over (rc|uc|ud), channel 7" + broken), text);
    }
  }

  /** Each of these channels ends with messages of its peer under way. */
  @Test(timeOut = 120_000)
  public void shouldGetBackTheReceivesOfChannelsThatEndInTheMiddle() {
    try (FabricPair pair = new FabricPair(Kind.EMU_UC, SlotGeometry.DEFAULT);
        TestMemory memory = new TestMemory(1 << 20, 0, 0).fill(1);
        TestMemory target = new TestMemory(1 << 20, 0, 0)) {
      for (int id = 100; id < 100 + SHARED_RECEIVES / 16; id++) {
        Deadline deadline = Deadline.after(FabricPair.BUDGET);
        Channel low = pair.low.connect(1, pair.high.address(), id, deadline);
        Channel high = pair.high.connect(0, pair.low.address(), id, deadline);
        high.receive(1, target, 0, 1 << 20);
        low.send(1, memory, 0, 1 << 20);
        pair.until(() -> high.receivedBytes() > 0 || low.sentBytes() > 1 << 18);
        for (int round = 0; round < 3; round++) {
          pair.low.progress(); // more than the other side has taken is in its queue now
        }
        high.close();
        low.close();
      }
      exchange(pair.fromLow, pair.fromHigh, pair, memory);
    }
  }

  private static String failure(Kind kind, String fault, Duration within) {
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(SIZE, 0, 0)) {
      exchange(pair.fromLow, pair.fromHigh, pair, memory);
      EmulatedHca.set(fault, "emu-mlx5_0");
      Deadline deadline = Deadline.after(within);
      String text = failure(pair, memory);
      assertFalse(deadline.isExpired(), "it took longer than " + deadline + ": " + text);
      return text;
    }
  }

  private static String failure(FabricPair pair, TestMemory memory) {
    Log log = new Log();
    pair.fromHigh.receive(2, memory, 0, SIZE);
    pair.fromLow.send(2, memory, 0, SIZE);
    return expectThrows(
            FabricException.class,
            () -> pair.until(() -> pair.fromLow.poll(log) < 0 || log.received.size() > 1))
        .getMessage();
  }

  private static void exchange(Channel from, Channel to, FabricPair pair, TestMemory memory) {
    Log log = new Log();
    assertTrue(to.receive(1, memory, 0, SIZE));
    assertTrue(from.send(1, memory, 0, SIZE));
    pair.until(() -> from.poll(log) >= 0 && to.poll(log) >= 0 && log.received.size() == 1);
    pair.until(() -> log.sent.size() == 1 || from.poll(log) > 0);
    assertEquals(log.sent, List.of(1L));
  }
}
