// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.FabricException;
import io.tombolo.rdma.vm.PortDown;
import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.Test;

/** The last test in the virtual machine: it takes the port down under open channels. */
@Test(
    groups = {"rdma-vm", "port-down"},
    timeOut = 600_000)
public final class SoftRocePortTest {
  private static final SlotGeometry GEOMETRY = new SlotGeometry(4, 16 << 10);
  private static final int BYTES = 5000;

  /** All at once: some may wait ten seconds for their peer. */
  public void shouldSayThatThePortIsDownWhenNothingReachesThePeer() throws Exception {
    List<FabricPair> pairs = new ArrayList<>();
    try (TestMemory memory = new TestMemory(BYTES, 0, 0)) {
      for (Kind kind : Kind.chosen(Kind.SOFT_ROCE)) {
        FabricPair pair = new FabricPair(kind, GEOMETRY);
        pairs.add(pair);
        SoftRoceChannelTest.exchange(pair, BYTES);
      }
      try (PortDown down = PortDown.take()) {
        for (FabricPair pair : pairs) {
          pair.fromHigh.receive(3, memory, 0, BYTES);
          pair.fromLow.send(3, memory, 0, BYTES);
        }
        for (FabricPair pair : pairs) {
          assertSaysSo(pair);
        }
      }
    } finally {
      pairs.forEach(FabricPair::close);
    }
  }

  private static void assertSaysSo(FabricPair pair) {
    Log log = new Log();
    FabricException error =
        expectThrows(
            FabricException.class,
            () -> pair.until(() -> pair.fromLow.poll(log) > 0 && log.sent.isEmpty()));
    assertTrue(error.getMessage().contains("is down: look at the cable"), error.getMessage());
    System.out.println("  " + error.getMessage());
  }
}
