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

  private static boolean isDone(Log log) {
    return log.sent.size() + log.received.size() == 2;
  }
}
