// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.MemoryExport;
import io.tombolo.base.errors.PeerFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** What only UCX does: it reads and writes the messages' memory in place, where it can. */
public final class UcxChannelTest {
  private static final int SIZE = (9 << 20) + 5;
  private static final int RING_BYTES =
      SlotGeometry.DEFAULT.slots() * SlotGeometry.DEFAULT.payloadBytes();

  @Test
  public void shouldCopyNothingWhenTheReceiveIsThereFirst() {
    try (FabricPair pair = new FabricPair(Kind.UCX, SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(1).exported();
        TestMemory target = new TestMemory(SIZE, 0, 0).exported()) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      for (int message = 0; message < 3; message++) {
        Log log = new Log();
        target.fill(message);
        pair.fromHigh.receive(message, target, 3, SIZE - 3);
        pair.high.progress();
        pair.fromLow.send(message, source, 3, SIZE - 3);
        pair.until(() -> pair.fromLow.poll(log) + pair.fromHigh.poll(log) > 0 && isDone(log));
        assertEquals(target.get(3, SIZE - 3), source.get(3, SIZE - 3));
      }
      assertEquals(pair.fromHigh.receivedBytes(), 3L * (SIZE - 3));
      assertTrue(pair.fromLow.copiedBytes() <= 3 * 4096, "copied " + pair.fromLow.copiedBytes());
      assertTrue(pair.fromHigh.copiedBytes() <= 3 * 4096, "copied " + pair.fromHigh.copiedBytes());
    }
  }

  private static boolean isDone(Log log) {
    return log.sent.size() + log.received.size() == 2;
  }

  @Test
  public void shouldKeepNoMoreThanARingWhenTheReceiveComesLate() {
    try (FabricPair pair = new FabricPair(Kind.UCX, SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(2).exported();
        TestMemory target = new TestMemory(SIZE, 0, 0).exported()) {
      pair.fromLow.send(1, source, 0, SIZE);
      pair.until(() -> pair.fromLow.isOpen() && pair.fromLow.sentBytes() == RING_BYTES);
      for (int i = 0; i < 1000; i++) {
        pair.low.progress();
        pair.high.progress();
      }
      pair.fromHigh.receive(1, target, 0, SIZE);
      pair.until(() -> pair.fromHigh.poll(new Log()) > 0);
      assertEquals(target.get(0, SIZE), source.get(0, SIZE));
      assertEquals(
          pair.fromHigh.copiedBytes(), RING_BYTES + SIZE % SlotGeometry.DEFAULT.payloadBytes());
    }
  }

  @Test
  public void shouldGoThroughTheRingWhenUcxDoesNotKnowTheDevice() {
    try (FabricPair pair = new FabricPair(Kind.UCX, SlotGeometry.DEFAULT)) {
      for (MemoryExport.DeviceRuntime runtime : MemoryExport.DeviceRuntime.values()) {
        try (TestMemory source = new TestMemory(SIZE, 0, 0).fill(3).exportedAs(runtime);
            TestMemory target = new TestMemory(SIZE, 0, 0).exportedAs(runtime)) {
          long before = pair.fromHigh.copiedBytes();
          pair.fromHigh.receive(1, target, 0, SIZE);
          pair.fromLow.send(1, source, 0, SIZE);
          pair.until(() -> pair.fromHigh.poll(new Log()) > 0);
          pair.until(() -> pair.fromLow.poll(new Log()) > 0);
          assertEquals(target.get(0, SIZE), source.get(0, SIZE));
          assertEquals(pair.fromHigh.copiedBytes() - before, SIZE);
        }
      }
    }
  }

  @DataProvider
  public Object[][] seeds() {
    List<Object[]> rows = new ArrayList<>();
    for (int seed = 0; seed < 12; seed++) {
      rows.add(new Object[] {seed});
    }
    return rows.toArray(Object[][]::new);
  }

  /** Sizes on both sides of every threshold, messages in place and not, receives early and late. */
  @Test(dataProvider = "seeds")
  public void shouldDeliverEveryByteWhenWaysMix(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int payload = 64 << random.nextInt(5, 12);
    try (FabricPair pair =
        new FabricPair(Kind.UCX, new SlotGeometry(random.nextInt(1, 9), payload))) {
      for (int i = 0; i < 20; i++) {
        int size = random.nextInt(1, 4 * payload);
        try (TestMemory source = memory(size, random).fill(i);
            TestMemory target = memory(size, random)) {
          boolean early = random.nextBoolean();
          if (early) {
            pair.fromHigh.receive(i, target, 0, size);
          }
          pair.fromLow.send(i, source, 0, size);
          for (int round = random.nextInt(200); round > 0; round--) {
            pair.low.progress();
            pair.high.progress();
          }
          if (!early) {
            pair.fromHigh.receive(i, target, 0, size);
          }
          pair.until(() -> pair.fromHigh.poll(new Log()) > 0);
          pair.until(() -> pair.fromLow.poll(new Log()) > 0);
          assertEquals(target.get(0, size), source.get(0, size), "message " + i + ", seed " + seed);
        }
      }
    }
  }

  private static TestMemory memory(int size, SplittableRandom random) {
    return random.nextBoolean()
        ? new TestMemory(size, 0, 0).exported()
        : new TestMemory(size, 5, random.nextLong());
  }

  @Test
  public void shouldEndWhatIsUnderWayWhenAChannelIsClosedInTheMiddle() {
    try (FabricPair pair = new FabricPair(Kind.UCX, SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(4).exported();
        TestMemory target = new TestMemory(SIZE, 0, 0).exported()) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      pair.fromLow.send(1, source, 0, SIZE);
      pair.fromHigh.receive(1, target, 0, SIZE);
      for (int i = 0; i < 10; i++) {
        pair.low.progress();
        pair.high.progress();
      }
      pair.fromLow.close();
      PeerFailedException error =
          expectThrows(
              PeerFailedException.class, () -> pair.until(() -> pair.fromHigh.poll(new Log()) > 0));
      assertTrue(error.getMessage().contains("1 receives outstanding"), error.getMessage());
    }
  }

  @Test
  public void shouldRefuseToBeAskedWhenItIsClosed() {
    Kind.skipIfMissing();
    FabricPair pair = new FabricPair(Kind.UCX, SlotGeometry.DEFAULT);
    pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
    pair.close();
    pair.close();
    assertEquals(pair.low.progress(), 0);
    assertThrows(io.tombolo.base.errors.AbortedException.class, pair.fromLow::isOpen);
  }
}
