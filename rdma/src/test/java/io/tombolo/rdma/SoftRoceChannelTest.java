// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.PeerFailedException;
import java.util.List;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Channels between the two Soft-RoCE devices of the virtual machine. */
@Test(groups = "rdma-vm")
public final class SoftRoceChannelTest {
  private static final SlotGeometry GEOMETRY = new SlotGeometry(4, 16 << 10);

  @DataProvider
  public Object[][] kinds() {
    return Kind.rows(Kind.SOFT_ROCE);
  }

  @Test(dataProvider = "kinds", groups = "rdma-vm")
  public void shouldDeliverEverySizeBothWays(Kind kind) {
    try (FabricPair pair = new FabricPair(kind, GEOMETRY)) {
      for (int size : List.of(0, 1, 16 << 10, (16 << 10) + 1, 300_003)) {
        exchange(pair, size);
      }
      assertEquals(pair.fromLow.sentBytes(), pair.fromHigh.receivedBytes());
    }
  }

  /** Carries {@code size} bytes each way at a time. */
  static void exchange(FabricPair pair, int size) {
    try (TestMemory low = new TestMemory(size, 0, 0).fill(size);
        TestMemory high = new TestMemory(size, 0, 0).fill(size + 1);
        TestMemory atLow = new TestMemory(size, 3, size);
        TestMemory atHigh = new TestMemory(size, 3, size)) {
      Log lowLog = new Log();
      Log highLog = new Log();
      pair.fromLow.receive(2, atLow, 0, size);
      pair.fromHigh.receive(1, atHigh, 0, size);
      pair.fromLow.send(1, low, 0, size);
      pair.fromHigh.send(2, high, 0, size);
      pair.until(
          () -> {
            pair.fromLow.poll(lowLog);
            pair.fromHigh.poll(highLog);
            return lowLog.received.size() + lowLog.sent.size() == 2
                && highLog.received.size() + highLog.sent.size() == 2;
          });
      assertEquals(atHigh.get(0, size), low.get(0, size));
      assertEquals(atLow.get(0, size), high.get(0, size));
    }
  }

  @Test(dataProvider = "kinds", groups = "rdma-vm")
  public void shouldFailOnBothSidesWhenTheirCallsDiffer(Kind kind) {
    try (FabricPair pair = new FabricPair(kind, GEOMETRY);
        TestMemory memory = new TestMemory(100, 0, 0)) {
      pair.fromLow.send(1, memory, 0, 10);
      pair.fromHigh.receive(1, memory, 0, 11);
      expectThrows(
          CorruptException.class, () -> pair.until(() -> pair.fromHigh.poll(new Log()) > 0));
    }
  }

  @Test(dataProvider = "kinds", groups = "rdma-vm")
  public void shouldDeliverWhatWasSentAndThenNameThePeerThatClosed(Kind kind) {
    JobToken token = JobToken.random();
    try (FabricPair pair = new FabricPair(kind, GEOMETRY);
        TestMemory source = new TestMemory(5000, 0, 0).fill(token.hashCode());
        TestMemory target = new TestMemory(5000, 0, 0)) {
      pair.fromLow.send(1, source, 0, 5000);
      if (kind.isRendezvous()) {
        pair.fromHigh.receive(1, target, 0, 5000);
      }
      pair.until(() -> pair.fromLow.poll(new Log()) == 1 && pair.fromHigh.isOpen());
      pair.fromLow.close();
      if (!kind.isRendezvous()) {
        pair.fromHigh.receive(1, target, 0, 5000);
      }
      pair.until(() -> pair.fromHigh.poll(new Log()) == 1);
      assertEquals(target.get(0, 5000), source.get(0, 5000));
      expectThrows(
          PeerFailedException.class, () -> pair.until(() -> pair.fromHigh.poll(new Log()) > 0));
    }
  }
}
