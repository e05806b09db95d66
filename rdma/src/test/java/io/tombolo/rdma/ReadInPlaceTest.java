// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.PeerFailedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Messages in host memory over shm, which the receiver reads where they are. Both sides are this
 * process, which may always read its own memory.
 */
public final class ReadInPlaceTest {
  private static final int SLOT = SlotGeometry.DEFAULT.payloadBytes();

  /** Too little to be worth it alone: it goes with what is before it. */
  private static final int REST = 1001;

  /** More than a ring holds, in two pieces. */
  private static final int SIZE = 32 * SLOT + REST;

  @DataProvider
  public Object[][] ways() {
    return new Object[][] {{true}, {false}};
  }

  @Test(dataProvider = "ways")
  public void shouldCopyOnceWhenBothMemoriesAreTheHosts(boolean dialledBySender) {
    try (FabricPair pair = open(SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(1).plain();
        TestMemory target = new TestMemory(SIZE + 7, 0, 0).plain()) {
      Channel sender = dialledBySender ? pair.fromLow : pair.fromHigh;
      Channel receiver = dialledBySender ? pair.fromHigh : pair.fromLow;
      Log log = new Log();
      sender.send(1, source, 0, SIZE);
      receiver.receive(1, target, 7, SIZE);
      pair.until(() -> sender.poll(log) >= 0 && !log.sent.isEmpty());
      pair.until(() -> receiver.poll(log) >= 0 && !log.received.isEmpty());
      assertEquals(target.get(7, SIZE), source.get(0, SIZE));
      assertEquals(target.get(0, 7), new byte[7]);
      assertEquals(sender.copiedBytes(), 0);
      assertEquals(sender.directBytes(), SIZE);
      assertEquals(sender.sentBytes(), SIZE);
      assertEquals(receiver.copiedBytes(), SIZE);
      assertEquals(receiver.directBytes(), 0);
      assertEquals(receiver.receivedBytes(), SIZE);
    }
  }

  @Test
  public void shouldNeedTheSendersMemoryUntilItIsRead() {
    try (FabricPair pair = open(SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SLOT, 0, 0).fill(2).plain();
        TestMemory target = new TestMemory(SLOT, 0, 0).plain()) {
      Log low = new Log();
      pair.fromLow.send(1, source, 0, SLOT);
      pair.fromLow.send(2, source, 0, 10); // behind it, though it is in the ring at once
      for (int round = 0; round < 200; round++) {
        pair.low.progress();
        pair.high.progress();
        pair.fromLow.poll(low);
      }
      assertEquals(low.sent, List.of());
      pair.fromHigh.receive(1, target, 0, SLOT);
      pair.until(() -> pair.fromLow.poll(low) >= 0 && low.sent.size() == 2);
      assertEquals(low.sent, List.of(1L, 2L));
      assertEquals(target.get(0, SLOT), source.get(0, SLOT));
    }
  }

  /** As that of a device does not, and what a driver has mapped. */
  @Test
  public void shouldFallBackForGoodWhenAPayloadCannotBeRead() {
    try (FabricPair pair = open(SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(3).plain();
        TestMemory device = new TestMemory(SIZE, 3, 4);
        TestMemory target = new TestMemory(SIZE, 0, 0).plain()) {
      carry(pair, source, device);
      assertEquals(pair.fromLow.copiedBytes(), SIZE);
      assertEquals(pair.fromLow.directBytes(), 0);
      assertEquals(pair.fromHigh.copiedBytes(), SIZE);
      carry(pair, source, target);
      assertEquals(pair.fromLow.copiedBytes(), 2L * SIZE);
      assertEquals(pair.fromHigh.copiedBytes(), 2L * SIZE);
    }
  }

  /** Behind what was read, in the middle of what is under way, and with messages of all sorts. */
  @Test
  public void shouldCutAnewWhatIsUnderWayWhenAPayloadCannotBeRead() {
    int[] sizes = {SIZE, 10, 3 * SLOT + 1, SLOT, 0, 2 * SLOT + 5, 11};
    try (FabricPair pair = open(new SlotGeometry(4, SLOT));
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(4).plain();
        TestMemory own = new TestMemory(SIZE, 5, 6).fill(7);
        TestMemory device = new TestMemory(SIZE, 3, 4);
        TestMemory target = new TestMemory(SIZE, 0, 0).plain()) {
      Log log = new Log();
      for (int i = 0; i < sizes.length; i++) {
        pair.fromLow.send(i, i == 5 ? own : source, 0, sizes[i]);
      }
      for (int i = 0; i < sizes.length; i++) {
        int message = i;
        TestMemory to = i == 2 ? device : target;
        pair.fromHigh.receive(i, to, 0, sizes[i]);
        pair.until(
            () -> {
              pair.fromLow.poll(log);
              pair.fromHigh.poll(log);
              return log.received.size() > message;
            });
        TestMemory from = i == 5 ? own : source;
        assertEquals(to.get(0, sizes[i]), from.get(0, sizes[i]), "message " + i);
      }
      pair.until(() -> pair.fromLow.poll(log) >= 0 && log.sent.size() == sizes.length);
      assertEquals(pair.fromLow.directBytes(), SIZE, "the first message alone was read");
      assertEquals(pair.fromLow.sentBytes(), Arrays.stream(sizes).sum());
      assertEquals(pair.fromHigh.receivedBytes(), pair.fromLow.sentBytes());
    }
  }

  /** Whoever has closed may use the memory again: what is read there then is no message. */
  @Test
  public void shouldDeliverNothingThatItReadsWhenTheSenderHasGivenUp() {
    try (FabricPair pair = open(SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SLOT, 0, 0).fill(5).plain();
        TestMemory target = new TestMemory(SLOT, 0, 0).plain()) {
      pair.fromLow.send(1, source, 0, SLOT);
      pair.until(() -> !pair.fromHigh.isDrained());
      pair.fromLow.close();
      source.fill(6);
      Log high = new Log();
      pair.fromHigh.receive(1, target, 0, SLOT);
      PeerFailedException error =
          expectThrows(
              PeerFailedException.class, () -> pair.until(() -> pair.fromHigh.poll(high) > 0));
      assertEquals(high.received, List.of());
      assertTrue(error.getMessage().contains("1 receives outstanding"), error.getMessage());
    }
  }

  /** What was read before was the message's, and is of no use without the rest. */
  @Test
  public void shouldDeliverNothingWhenTheSenderGivesUpBetweenTwoPieces() {
    try (FabricPair pair = open(SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(8).plain();
        TestMemory target = new TestMemory(SIZE, 0, 0).plain()) {
      Log high = new Log();
      pair.fromLow.send(1, source, 0, SIZE);
      pair.fromHigh.receive(1, target, 0, SIZE);
      pair.until(() -> pair.fromHigh.receivedBytes() > 0);
      assertTrue(pair.fromHigh.receivedBytes() < SIZE, "a round reads one piece");
      pair.fromLow.close();
      source.fill(9);
      PeerFailedException error =
          expectThrows(
              PeerFailedException.class, () -> pair.until(() -> pair.fromHigh.poll(high) > 0));
      assertEquals(high.received, List.of());
      assertTrue(error.getMessage().contains("1 receives outstanding"), error.getMessage());
    }
  }

  @Test
  public void shouldDeliverWhatCameBeforeWhenTheSenderHasGivenUp() {
    try (FabricPair pair = open(SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SLOT, 0, 0).fill(7).plain();
        TestMemory target = new TestMemory(2L * SLOT, 0, 0).plain()) {
      pair.fromLow.send(1, source, 0, 100);
      pair.fromLow.send(2, source, 0, SLOT);
      Log low = new Log();
      pair.until(() -> pair.fromLow.poll(low) >= 0 && low.sent.size() == 1);
      pair.fromLow.close();
      Log high = new Log();
      pair.fromHigh.receive(1, target, 0, 100);
      pair.fromHigh.receive(2, target, SLOT, SLOT);
      expectThrows(
          PeerFailedException.class,
          () -> pair.until(() -> pair.fromHigh.poll(high) >= 0 && high.received.size() > 1));
      assertEquals(high.received, List.of(1L));
      assertEquals(target.get(0, 100), source.get(0, 100));
    }
  }

  @DataProvider
  public Object[][] seeds() {
    return IntStream.range(0, 12).mapToObj(seed -> new Object[] {seed}).toArray(Object[][]::new);
  }

  /**
   * Both ways at once; payloads that are read in place and others, receives early and late, now and
   * then one into memory that nothing can be read into.
   */
  @Test(dataProvider = "seeds")
  public void shouldDeliverEveryByteWhenWaysMix(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int payload = 8192 << random.nextInt(6);
    try (FabricPair pair = open(new SlotGeometry(random.nextInt(1, 9), payload))) {
      for (int burst = 0; burst < 8; burst++) {
        Flow forth = new Flow(pair.fromLow, pair.fromHigh, payload, random);
        Flow back = new Flow(pair.fromHigh, pair.fromLow, payload, random);
        Log low = new Log();
        Log high = new Log();
        pair.until(
            () -> {
              forth.post();
              back.post();
              pair.fromLow.poll(low);
              pair.fromHigh.poll(high);
              return forth.isOver(low, high) && back.isOver(high, low);
            });
        forth.check(seed);
        back.check(seed);
      }
    }
  }

  /** Some messages one way, each posted by either side when chance wants it. */
  private static final class Flow {
    private final Channel sender;
    private final Channel receiver;
    private final SplittableRandom random;
    private final List<TestMemory> sources = new ArrayList<>();
    private final List<TestMemory> targets = new ArrayList<>();
    private int sent;
    private int received;

    Flow(Channel sender, Channel receiver, int payload, SplittableRandom random) {
      this.sender = sender;
      this.receiver = receiver;
      this.random = random;
      for (int left = random.nextInt(1, 6); left > 0; left--) {
        int size = random.nextInt(1, 4 * payload);
        boolean isPlain = random.nextInt(4) > 0;
        TestMemory source = new TestMemory(size, isPlain ? 0 : 3, random.nextLong()).fill(size);
        sources.add(isPlain ? source.plain() : source);
        boolean isOfDevice = random.nextInt(40) == 0;
        TestMemory target = new TestMemory(size, isOfDevice ? 3 : 0, random.nextLong());
        targets.add(isOfDevice ? target : target.plain());
      }
    }

    void post() {
      if (sent < sources.size() && random.nextInt(20) == 0) {
        TestMemory source = sources.get(sent);
        assertTrue(sender.send(sent++, source, 0, source.sizeBytes()));
      }
      if (received < targets.size() && random.nextInt(20) == 0) {
        TestMemory target = targets.get(received);
        assertTrue(receiver.receive(received++, target, 0, target.sizeBytes()));
      }
    }

    boolean isOver(Log ofSender, Log ofReceiver) {
      return ofSender.sent.size() == sources.size() && ofReceiver.received.size() == targets.size();
    }

    void check(int seed) {
      for (int i = 0; i < sources.size(); i++) {
        long size = sources.get(i).sizeBytes();
        assertEquals(
            targets.get(i).get(0, size), sources.get(i).get(0, size), i + ", seed " + seed);
      }
      sources.forEach(TestMemory::close);
      targets.forEach(TestMemory::close);
    }
  }

  private static FabricPair open(SlotGeometry geometry) {
    FabricPair pair = new FabricPair(Kind.SHM, geometry);
    pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
    return pair;
  }

  private static void carry(FabricPair pair, TestMemory source, TestMemory target) {
    Log log = new Log();
    pair.fromLow.send(1, source, 0, SIZE);
    pair.fromHigh.receive(1, target, 0, SIZE);
    pair.until(
        () -> {
          pair.fromLow.poll(log);
          pair.fromHigh.poll(log);
          return log.sent.size() + log.received.size() == 2;
        });
    assertEquals(target.get(0, SIZE), source.get(0, SIZE));
  }
}
