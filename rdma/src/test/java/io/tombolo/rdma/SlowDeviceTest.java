// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;

import io.tombolo.emulated.hca.EmulatedHca;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/** A NIC that takes its time, as one does on a busy machine. */
public final class SlowDeviceTest {
  private static final int SIZE = 100_000;

  @AfterMethod
  public void hurryAgain() {
    EmulatedHca.set("BIND_US", "0");
  }

  @Test
  public void shouldGoOnWhenEachBindOfAWindowTakesLong() {
    EmulatedHca.set("BIND_US", "300000");
    try (FabricPair pair = new FabricPair(Kind.EMU_UC, FabricPair.small());
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(1);
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      for (int tag = 0; tag < 3; tag++) {
        target.fill(tag);
        Log log = new Log();
        pair.fromHigh.receive(tag, target, 0, SIZE);
        pair.fromLow.send(tag, source, 0, SIZE);
        pair.until(() -> pair.fromLow.poll(log) + pair.fromHigh.poll(log) >= 0 && isDone(log));
        assertEquals(target.get(0, SIZE), source.get(0, SIZE));
      }
    }
  }

  /**
   * The grant of a slot's next payload is laid out while that of its last one is still to be read
   * by the NIC: the peer gets it twice, and the first time the window is not open.
   */
  @Test
  public void shouldUseNoGrantBeforeItsWindowIsOpen() {
    EmulatedHca.set("BIND_US", "200000");
    int slots = 4;
    int size = 8192;
    try (FabricPair pair = new FabricPair(Kind.EMU_RC, new SlotGeometry(slots, size));
        TestMemory source = new TestMemory(size, 0, 0).fill(1);
        TestMemory target = new TestMemory((1L + slots) * size, 0, 0).registered()) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      Log log = new Log();
      pair.fromHigh.receive(0, target, 0, size);
      pair.high.progress(); // grants it, which takes long
      pair.fromLow.send(0, source, 0, size);
      pair.until(() -> pair.fromHigh.poll(log) >= 0 && !log.received.isEmpty());
      for (int tag = 1; tag <= slots; tag++) {
        pair.fromHigh.receive(tag, target, (long) tag * size, size);
        pair.fromLow.send(tag, source, 0, size);
      }
      pair.until(() -> pair.fromHigh.poll(log) >= 0 && log.received.size() == 1 + slots);
      for (int tag = 0; tag <= slots; tag++) {
        assertEquals(target.get((long) tag * size, size), source.get(0, size));
      }
    }
  }

  private static boolean isDone(Log log) {
    return log.sent.size() + log.received.size() == 2;
  }
}
