// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.MemoryExport;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.rdma.verbs.Devices;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Memory that the NIC reads and writes by itself: over the emulated HCA, and over Soft-RoCE in the
 * virtual machine.
 */
public final class DirectChannelTest {
  private static final Kind RC = FabricPair.IN_GUEST ? Kind.RC : Kind.EMU_RC;
  private static final Kind UC = FabricPair.IN_GUEST ? Kind.UC : Kind.EMU_UC;

  /** More than a ring holds, and its last slot is not full. */
  private static final int SIZE = (3 << 20) + 100_001;

  @Test
  public void shouldCopyNothingWhenBothSidesAreRegistered() {
    try (FabricPair pair = new FabricPair(RC, SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SIZE + 3, 0, 0).fill(1).registered();
        TestMemory target = new TestMemory(SIZE + 3, 0, 0).registered()) {
      carry(pair, source, target, 3, SIZE);
      assertEquals(pair.fromLow.copiedBytes(), 0);
      assertEquals(pair.fromHigh.copiedBytes(), 0);
      assertEquals(pair.fromLow.directBytes(), SIZE);
      assertEquals(pair.fromHigh.directBytes(), SIZE);
      assertEquals(pair.fromHigh.receivedBytes(), SIZE);
      assertEquals(target.get(0, 3), new byte[3]);
    }
  }

  @Test
  public void shouldCopyOnTheSideThatIsNotRegistered() {
    try (FabricPair pair = new FabricPair(RC, SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(2).registered();
        TestMemory target = new TestMemory(SIZE, 9, 4)) {
      carry(pair, source, target, 0, SIZE);
      assertEquals(pair.fromLow.copiedBytes(), 0);
      assertEquals(pair.fromHigh.copiedBytes(), SIZE);
      assertEquals(pair.fromHigh.directBytes(), 0);
    }
    try (FabricPair pair = new FabricPair(RC, SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SIZE, 9, 5).fill(3);
        TestMemory target = new TestMemory(SIZE, 0, 0).registered()) {
      carry(pair, source, target, 0, SIZE);
      assertEquals(pair.fromLow.copiedBytes(), SIZE);
      assertEquals(pair.fromHigh.copiedBytes(), 0);
    }
  }

  @Test
  public void shouldCopyWhenTheDeviceCannotExportItsMemory() {
    try (FabricPair pair = new FabricPair(RC, SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(2);
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      source.registeredAs(MemoryExport.COPIES);
      target.registeredAs(new MemoryExport.PeerMemory(1)); // which no driver can pin
      carry(pair, source, target, 0, SIZE);
      assertEquals(pair.fromLow.copiedBytes(), SIZE);
      assertEquals(pair.fromHigh.copiedBytes(), SIZE);
    }
  }

  /** Chunks that are sent again are read again. The receiver copies them out of its slab. */
  @Test(timeOut = 120_000)
  public void shouldCopyNothingAtTheSenderWhenPacketsGetLost() throws Exception {
    try (FabricPair pair = new FabricPair(UC, SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SIZE + 3, 0, 0).fill(6).registered();
        TestMemory target = new TestMemory(SIZE + 3, 9, 7)) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      try (Devices.Trouble trouble = Devices.trouble(1, 1)) {
        pair.fromHigh.receive(1, target, 3, SIZE);
        send(pair, source, target, 3, SIZE);
      }
      ProtocolCounters counters = pair.fromLow.protocolCounters().orElseThrow();
      assertTrue(counters.payloadBytesRepeated > 0, "nothing got lost");
      assertEquals(pair.fromLow.copiedBytes(), 0);
      assertEquals(pair.fromLow.directBytes(), counters.payloadBytesSent);
      assertEquals(pair.fromHigh.copiedBytes(), SIZE);
      assertEquals(target.get(0, 3), new byte[3]);
    }
  }

  @DataProvider
  public Object[][] seeds() {
    return Stream.of(RC, UC)
        .flatMap(kind -> IntStream.range(0, 12).mapToObj(seed -> new Object[] {kind, seed}))
        .toArray(Object[][]::new);
  }

  /** Sizes on both sides of the threshold, receives early and late, some sides registered. */
  @Test(dataProvider = "seeds")
  public void shouldDeliverEveryByteWhenWaysMix(Kind kind, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int payload = 64 << random.nextInt(5, 11);
    try (FabricPair pair = new FabricPair(kind, new SlotGeometry(random.nextInt(1, 9), payload))) {
      for (int i = 0; i < 20; i++) {
        int size = random.nextInt(1, 4 * payload);
        try (TestMemory source = memory(size, random).fill(i);
            TestMemory target = memory(size, random)) {
          boolean early = random.nextBoolean();
          if (early) {
            pair.fromHigh.receive(i, target, 0, size);
            turn(pair, random.nextInt(200));
          }
          pair.fromLow.send(i, source, 0, size);
          turn(pair, random.nextInt(200));
          if (!early) {
            pair.fromHigh.receive(i, target, 0, size);
          }
          pair.until(() -> pair.fromHigh.poll(new Log()) > 0);
          pair.until(() -> pair.fromLow.poll(new Log()) > 0);
          assertEquals(target.get(0, size), source.get(0, size), "message " + i + ", seed " + seed);
          source.freedIfRegistered();
          target.freedIfRegistered();
        }
      }
    }
  }

  private static TestMemory memory(int size, SplittableRandom random) {
    TestMemory made = new TestMemory(size, 5, random.nextLong());
    return random.nextBoolean() ? made.registered() : made;
  }

  @Test
  public void shouldFailTheChannelWhenMemoryIsFreedUnderWay() {
    try (FabricPair pair = new FabricPair(RC, SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(1).registered();
        TestMemory target = new TestMemory(SIZE, 0, 0).registered()) {
      pair.fromHigh.receive(1, target, 0, SIZE);
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      pair.settle();
      target.freed();
      UsageException error =
          expectThrows(
              UsageException.class, () -> pair.until(() -> pair.fromHigh.poll(new Log()) > 0));
      assertTrue(error.getMessage().contains("freed"), error.getMessage());
      byte[] before = target.get(0, SIZE);
      pair.fromLow.send(1, source, 0, SIZE);
      PeerFailedException ends =
          expectThrows(
              PeerFailedException.class, () -> pair.until(() -> pair.fromLow.poll(new Log()) > 0));
      assertTrue(ends.getMessage().contains("1 sends"), ends.getMessage());
      assertEquals(target.get(0, SIZE), before);
    }
  }

  @Test
  public void shouldFailTheChannelWhenMemoryIsFreedWhileItIsSentOverUc() {
    try (FabricPair pair = new FabricPair(UC, SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(1).registered();
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      pair.fromHigh.receive(1, target, 0, SIZE);
      pair.fromLow.send(1, source, 0, SIZE);
      pair.until(() -> pair.fromLow.directBytes() > 0);
      source.freed();
      UsageException error =
          expectThrows(
              UsageException.class, () -> pair.until(() -> pair.fromLow.poll(new Log()) > 0));
      assertTrue(error.getMessage().contains("freed"), error.getMessage());
      expectThrows(
          PeerFailedException.class, () -> pair.until(() -> pair.fromHigh.poll(new Log()) > 0));
    }
  }

  /** Whoever closes may free: the NIC has to let go of the memory then. */
  @Test
  public void shouldEndBothSidesWhenAMessageThatTheNicReadsIsGivenUp() {
    try (FabricPair pair = new FabricPair(UC, SlotGeometry.DEFAULT);
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      TestMemory source = new TestMemory(SIZE, 0, 0).fill(1).registered();
      pair.fromHigh.receive(1, target, 0, SIZE);
      pair.fromLow.send(1, source, 0, SIZE);
      pair.until(() -> pair.fromLow.directBytes() > 0);
      pair.fromLow.close();
      source.freed();
      source.close();
      expectThrows(
          PeerFailedException.class, () -> pair.until(() -> pair.fromHigh.poll(new Log()) > 0));
      pair.settle();
    }
  }

  private static void carry(
      FabricPair pair, TestMemory source, TestMemory target, int at, int size) {
    pair.fromHigh.receive(1, target, at, size);
    pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
    pair.settle(); // the receiver's grants arrive
    send(pair, source, target, at, size);
  }

  private static void send(
      FabricPair pair, TestMemory source, TestMemory target, int at, int size) {
    pair.fromLow.send(1, source, at, size);
    pair.until(() -> pair.fromHigh.poll(new Log()) > 0);
    pair.until(() -> pair.fromLow.poll(new Log()) > 0);
    assertEquals(target.get(at, size), source.get(at, size));
  }

  private static void turn(FabricPair pair, int rounds) {
    for (int i = 0; i < rounds; i++) {
      pair.low.progress();
      pair.high.progress();
    }
  }
}
