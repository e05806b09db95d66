// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;

import io.tombolo.rdma.verbs.LateEnds;
import org.testng.annotations.Test;

/** Channels over {@code uc} with several queue pairs to each peer. */
public final class PathsTest {
  private static final int BYTES = 1 << 20;

  @Test
  public void shouldHaveAQueuePairForEachPathAtBothEnds() {
    assertEquals(objectsOfAPair(Kind.PATHS3_UC) - objectsOfAPair(Kind.EMU_UC), 2 * (3 - 1));
  }

  /** What two fabrics and a channel that has carried a message have made on the NICs. */
  private static long objectsOfAPair(Kind kind) {
    long before = LateEnds.living();
    try (FabricPair pair = new FabricPair(kind, SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(BYTES, 0, 1).fill(1);
        TestMemory target = new TestMemory(BYTES, 0, 1)) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      pair.fromHigh.receive(1, target, 0, BYTES);
      pair.fromLow.send(1, source, 0, BYTES);
      Log log = new Log();
      pair.until(() -> pair.fromLow.poll(log) >= 0 && pair.fromHigh.poll(log) > 0);
      assertEquals(target.get(0, BYTES), source.get(0, BYTES));
      return LateEnds.living() - before;
    }
  }
}
