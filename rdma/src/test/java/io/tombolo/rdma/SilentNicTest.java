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
import io.tombolo.rdma.verbs.LateEnds;
import java.time.Duration;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * A NIC that stops in the middle of its work. It completes nothing, and answers EIO to all that it
 * is told; yet what peers send may still come to memory. Only later an event says that it was
 * reset.
 */
public final class SilentNicTest {
  private static final int SIZE = 3000;
  private static final int SILENT_MS = 500;

  /**
   * Sooner than a peer over uc or ud is given up for being silent; a busy machine takes seconds.
   */
  private static final Duration SOON = Duration.ofMillis(SILENT_MS + 8000);

  private static final Duration MOMENT = Duration.ofMillis(500);

  private static final Duration LONGER_THAN_A_PAUSE = Duration.ofMillis(1200);

  @AfterMethod
  public void repair() {
    EmulatedHca.set("SILENT", "");
    EmulatedHca.set("SILENT_MS", "0");
    EmulatedHca.set("FATAL", "");
  }

  @DataProvider
  public Object[][] kinds() {
    return Kind.rows(ImmutableList.of(Kind.EMU_RC, Kind.EMU_UC, Kind.EMU_UD));
  }

  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldTellWhyWhenTheNicSaysItLate(Kind kind) {
    try (TestMemory memory = new TestMemory(SIZE, 0, 0);
        FabricPair pair = new FabricPair(kind, FabricPair.small())) {
      deliver(pair, memory, memory);
      EmulatedHca.set("SILENT_MS", Integer.toString(SILENT_MS));
      EmulatedHca.set("SILENT", EmulatedHca.device(0));
      Deadline soon = Deadline.after(SOON);
      assertTrue(pair.fromHigh.receive(2, memory, 0, SIZE));
      assertTrue(pair.fromLow.send(2, memory, 0, SIZE));
      String text =
          expectThrows(
                  FabricException.class,
                  () -> pair.until(() -> pair.fromLow.poll(new Log()) < 0 || soon.isExpired()))
              .getMessage();
      assertTrue(text.matches("rank 0 to rank 1 over .*emu-mlx5_0.*dmesg.*outstanding.*"), text);
    }
  }

  @DataProvider
  public Object[][] connected() {
    return Kind.rows(ImmutableList.of(Kind.EMU_RC, Kind.EMU_UC));
  }

  /**
   * The peer goes on writing for as long as it does not know. Over ud there is nothing to wait for
   * when a channel closes: datagrams come into slots of the fabric alone, which has them until it
   * closes itself.
   */
  @Test(dataProvider = "connected", timeOut = 120_000)
  public void shouldFreeNothingUntilTheNicWritesNoMore(Kind kind) {
    try (TestMemory source = new TestMemory(SIZE, 0, 0).fill(1).registered();
        TestMemory target = new TestMemory(SIZE, 0, 0).registered();
        FabricPair pair = new FabricPair(kind, FabricPair.small())) {
      deliver(pair, source, target);
      assertTrue(pair.fromLow.receive(2, target, 0, SIZE));
      Deadline moment = Deadline.after(MOMENT); // no silence: peers over uc ask each second
      pair.until(moment::isExpired); // the peer knows where it may write
      long living = LateEnds.living();
      EmulatedHca.set("SILENT", EmulatedHca.device(0));
      assertTrue(pair.fromHigh.send(2, source, 0, SIZE));
      if (kind == Kind.EMU_RC) { // its NIC may write into the message itself
        expectThrows(FabricException.class, pair.fromLow::close);
      } else {
        pair.fromLow.close();
      }
      Deadline pause = Deadline.after(LONGER_THAN_A_PAUSE);
      pair.until(pause::isExpired);
      assertFalse(pair.fromLow.isQuiet(), "the NIC may still write");
      assertEquals(LateEnds.living(), living, "what the NIC may still use");

      EmulatedHca.set("SILENT_MS", "1");
      pair.until(pair.fromLow::isQuiet);
    }
  }

  /** From high to low. */
  private static void deliver(FabricPair pair, TestMemory source, TestMemory target) {
    Log log = new Log();
    assertTrue(pair.fromLow.receive(1, target, 0, SIZE));
    assertTrue(pair.fromHigh.send(1, source, 0, SIZE));
    pair.until(
        () -> {
          pair.fromLow.poll(log);
          pair.fromHigh.poll(log);
          return log.sent.size() + log.received.size() == 2;
        });
  }
}
