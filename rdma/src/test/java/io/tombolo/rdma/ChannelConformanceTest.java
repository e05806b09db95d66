// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.PeerFailedException;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** What every channel does, whatever carries it. */
public final class ChannelConformanceTest {
  private static final long SEED = 20261121;
  private static final int ODD_5_MIB = (5 << 20) - 3;
  private static final SlotGeometry ONE_SMALL_SLOT = new SlotGeometry(1, 64);

  @DataProvider
  public Object[][] kinds() {
    return Kind.rows(Kind.CONFORMING);
  }

  @DataProvider
  public Object[][] kindsAndGeometries() {
    List<SlotGeometry> geometries =
        List.of(FabricPair.small(), SlotGeometry.DEFAULT, ONE_SMALL_SLOT);
    return Kind.chosen(Kind.CONFORMING).stream()
        .flatMap(kind -> geometries.stream().map(geometry -> new Object[] {kind, geometry}))
        .filter(row -> row[1] != ONE_SMALL_SLOT || Kind.FAST.contains(row[0]))
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "kindsAndGeometries")
  public void shouldDeliverEverySizeWhenItFillsSlotsOrNot(Kind kind, SlotGeometry geometry) {
    int slot = geometry.payloadBytes();
    List<Integer> sizes = List.of(0, 1, slot - 1, slot, slot + 1, 3 * slot, ODD_5_MIB);
    try (FabricPair pair = new FabricPair(kind, geometry)) {
      sizes.forEach(size -> deliver(pair, size));
      long expected = sizes.stream().mapToLong(Integer::longValue).sum();
      assertEquals(pair.fromLow.sentBytes(), expected);
      assertEquals(pair.fromHigh.receivedBytes(), expected);
      assertTrue(pair.fromLow.copiedBytes() >= expected); // chunks that were repeated count again
      assertTrue(kind.isLossy() || pair.fromLow.copiedBytes() == expected);
      assertEquals(pair.fromHigh.sentBytes(), 0);
    }
  }

  private static void deliver(FabricPair pair, int size) {
    try (TestMemory source = new TestMemory(size + 5, 0, 0).fill(size);
        TestMemory target = new TestMemory(size + 9, 0, 0).fill(-1)) {
      byte[] before = target.get(0, 7);
      byte[] after = target.get(7 + size, 2);
      Log low = new Log();
      Log high = new Log();
      assertTrue(pair.fromLow.send(size, source, 5, size));
      assertTrue(pair.fromHigh.receive(size, target, 7, size));
      pair.until(
          () -> {
            pair.fromLow.poll(low);
            pair.fromHigh.poll(high);
            return low.sent.size() + high.received.size() == 2;
          });
      assertEquals(target.get(7, size), source.get(5, size));
      assertEquals(target.get(0, 7), before);
      assertEquals(target.get(7 + size, 2), after);
    }
  }

  /**
   * Messages whose memory the wire may read and write itself, some at once, then none until all are
   * reported: a queue that begins again may forget nothing of what the wire has been told.
   */
  @Test(dataProvider = "kinds")
  public void shouldDeliverEveryByteWhenMessagesComeInBursts(Kind kind) {
    int payload = 8192;
    Random random = new Random(SEED);
    try (FabricPair pair = new FabricPair(kind, new SlotGeometry(4, payload))) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      for (int burst = 0; burst < 40; burst++) {
        int messages = 1 + random.nextInt(1 + burst / 4); // longer than any before, now and then
        deliverBurst(pair, random.ints(messages, 1, 3 * payload).toArray(), random);
      }
    }
  }

  private static void deliverBurst(FabricPair pair, int[] sizes, Random random) {
    List<TestMemory> sources = memories(sizes, random);
    List<TestMemory> targets = memories(sizes, random);
    Log low = new Log();
    Log high = new Log();
    for (int tag = 0; tag < sizes.length; tag++) {
      boolean early = random.nextBoolean();
      if (early) {
        assertTrue(pair.fromHigh.receive(tag, targets.get(tag), 0, sizes[tag]));
      }
      assertTrue(pair.fromLow.send(tag, sources.get(tag), 0, sizes[tag]));
      for (int round = random.nextInt(20); round > 0; round--) {
        pair.low.progress();
        pair.high.progress();
      }
      if (!early) {
        assertTrue(pair.fromHigh.receive(tag, targets.get(tag), 0, sizes[tag]));
      }
    }
    pair.until(
        () -> {
          pair.fromLow.poll(low);
          pair.fromHigh.poll(high);
          return low.sent.size() + high.received.size() == 2 * sizes.length;
        });
    for (int tag = 0; tag < sizes.length; tag++) {
      assertEquals(targets.get(tag).get(0, sizes[tag]), sources.get(tag).get(0, sizes[tag]));
    }
    Stream.of(sources, targets).flatMap(List::stream).forEach(TestMemory::close);
  }

  private static List<TestMemory> memories(int[] sizes, Random random) {
    return IntStream.of(sizes)
        .mapToObj(
            size -> new TestMemory(size, 0, 0).fill(random.nextLong()).exported().registered())
        .toList();
  }

  @Test(dataProvider = "kinds")
  public void shouldPushBackWhenTheReceiverTakesNothing(Kind kind) {
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(1 << 16, 0, 0).fill(1)) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      Log log = new Log();
      int accepted = 0;
      for (int idle = 0; idle < 100; idle++) {
        while (pair.fromLow.send(accepted, memory, 0, 1 << 16)) {
          accepted++;
          idle = 0;
        }
        pair.low.progress();
        pair.high.progress();
        pair.fromLow.poll(log);
        assertTrue(accepted < 10_000, "a receiver that takes nothing was sent everything");
      }
      assertFalse(pair.fromLow.send(accepted, memory, 0, 1));
      assertEquals(accepted - log.sent.size(), ChannelRoom.LEAST.messages());
      assertEquals(pair.fromHigh.receivedBytes(), 0);
    }
  }

  /** What the verifier of plans counts on, message by message. */
  @Test(dataProvider = "kinds")
  public void shouldTakeInWhatItsRoomSays(Kind kind) {
    long[] sizes = new Random(SEED).longs(40, 0, 900).toArray();
    int[] awaited = kind.room(FabricPair.small()).awaited(sizes);
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(900, 0, 0).fill(1)) {
      Log low = new Log();
      for (int tag = 0; tag < sizes.length; tag++) {
        assertTrue(pair.fromLow.send(tag, memory, 0, sizes[tag]));
      }
      for (int posted = 0; posted <= sizes.length; posted++) {
        int receives = posted;
        int sure = (int) IntStream.of(awaited).filter(each -> each < receives).count();
        pair.until(() -> pair.fromLow.poll(low) >= 0 && low.sent.size() >= sure);
        if (kind.takesNoMoreThanItsRoom()) {
          idle(pair, low);
          assertEquals(low.sent.size(), sure, "with " + receives + " receives, seed " + SEED);
        }
        if (posted < sizes.length) {
          assertTrue(pair.fromHigh.receive(posted, memory, 0, sizes[posted]));
        }
      }
    }
  }

  private static void idle(FabricPair pair, Log low) {
    for (int round = 0; round < 20; round++) {
      pair.low.progress();
      pair.high.progress();
      pair.fromLow.poll(low);
    }
  }

  @Test(dataProvider = "kinds")
  public void shouldFailWhenTheTwoSidesNameDifferentMessages(Kind kind) {
    try (TestMemory memory = new TestMemory(100, 0, 0)) {
      for (long[] tagAndSize : new long[][] {{2, 10}, {1, 11}, {1, 0}}) {
        try (FabricPair pair = new FabricPair(kind, FabricPair.small())) {
          pair.fromLow.send(1, memory, 0, 10);
          pair.fromHigh.receive(tagAndSize[0], memory, 0, tagAndSize[1]);
          CorruptException error =
              expectThrows(
                  CorruptException.class,
                  () -> pair.until(() -> pair.fromHigh.poll(new Log()) > 0));
          assertTrue(error.getMessage().contains("rank 1 to rank 0 over " + pair.low.name()));
        }
      }
    }
  }

  @Test(dataProvider = "kinds")
  public void shouldKeepChannelsApartWhenTheyLeadToOnePeer(Kind kind) {
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory source = new TestMemory(1000, 0, 0).fill(1);
        TestMemory first = new TestMemory(1000, 0, 0);
        TestMemory second = new TestMemory(1000, 0, 0)) {
      Deadline deadline = Deadline.after(FabricPair.BUDGET);
      Channel low = pair.low.connect(1, pair.high.address(), 8, deadline);
      Channel high = pair.high.connect(0, pair.low.address(), 8, deadline);
      pair.fromLow.send(1, source, 0, 600);
      low.send(2, source, 600, 400);
      high.receive(2, second, 0, 400);
      pair.until(() -> high.poll(new Log()) == 1);
      pair.fromHigh.receive(1, first, 0, 600);
      pair.until(() -> pair.fromHigh.poll(new Log()) == 1);
      assertEquals(first.get(0, 600), source.get(0, 600));
      assertEquals(second.get(0, 400), source.get(600, 400));
    }
  }

  @Test(dataProvider = "kinds")
  public void shouldParkTheConnectionWhenThePeerDialsBeforeItIsExpected(Kind kind) {
    JobToken token = JobToken.random();
    try (Fabric low = kind.open(0, token, FabricPair.small());
        Fabric high = kind.open(1, token, FabricPair.small());
        TestMemory source = new TestMemory(500, 0, 0).fill(3);
        TestMemory target = new TestMemory(500, 0, 0)) {
      Channel early = low.connect(1, high.address(), 1, Deadline.after(FabricPair.BUDGET));
      early.send(9, source, 0, 500);
      AtomicInteger rounds = new AtomicInteger();
      FabricPair.drive(() -> early.isOpen() || isParked(kind, rounds), low, high);
      Channel late = high.connect(0, low.address(), 1, Deadline.after(FabricPair.BUDGET));
      late.receive(9, target, 0, 500);
      FabricPair.drive(() -> late.poll(new Log()) == 1, low, high);
      assertEquals(target.get(0, 500), source.get(0, 500));
    }
  }

  /** A parked connection that does not show it is given some rounds. */
  private static boolean isParked(Kind kind, AtomicInteger rounds) {
    return !kind.opensAlone() && rounds.incrementAndGet() > 1000;
  }

  @Test(dataProvider = "kinds")
  public void shouldDeliverWhatWasSentAndThenFailWhenThePeerCloses(Kind kind) {
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(100, 0, 0).fill(4);
        TestMemory target = new TestMemory(100, 0, 0)) {
      pair.fromLow.send(5, memory, 0, 100);
      if (kind.isRendezvous()) {
        pair.fromHigh.receive(5, target, 0, 100);
      }
      pair.until(() -> pair.fromLow.poll(new Log()) == 1 && pair.fromHigh.isOpen());
      pair.fromLow.close();
      for (int i = 0; i < 100; i++) {
        pair.high.progress();
        assertTrue(pair.fromHigh.isOpen(), "failed before what had arrived was taken");
      }
      if (!kind.isRendezvous()) {
        pair.fromHigh.receive(5, target, 0, 100);
      }
      pair.until(() -> pair.fromHigh.poll(new Log()) == 1);
      assertEquals(target.get(0, 100), memory.get(0, 100));
      PeerFailedException error =
          expectThrows(
              PeerFailedException.class, () -> pair.until(() -> pair.fromHigh.poll(new Log()) > 0));
      assertTrue(
          error.getMessage().startsWith("rank 1 to rank 0 over " + pair.low.name()),
          error.getMessage());
      assertEquals(error.peer(), OptionalInt.of(0));
    }
  }

  @Test(dataProvider = "kinds")
  public void shouldFreeSlotsOnlyAfterTheLastCopyWhenClosedMidway(Kind kind) {
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory target = new TestMemory(1000, 0, 0);
        TestMemory slow = new TestMemory(1000, 50, 5).fill(5)) {
      pair.fromHigh.receive(1, target, 0, 1000);
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      pair.fromLow.send(1, slow, 0, 1000);
      pair.until(() -> slow.pendingCopies() > 0);
      pair.fromLow.close(); // a copy into slots that are unmapped would end this process
      pair.until(() -> slow.pendingCopies() == 0);
      assertThrows(AbortedException.class, pair.fromLow::isOpen);
    }
  }

  @Test(dataProvider = "kinds")
  public void shouldRefuseRangesOutsideTheMemory(Kind kind) {
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(100, 0, 0)) {
      for (long[] range :
          new long[][] {{-1, 5}, {0, 101}, {100, 1}, {0, -1}, {1, Long.MAX_VALUE}}) {
        assertThrows(
            IllegalArgumentException.class, () -> pair.fromLow.send(1, memory, range[0], range[1]));
      }
    }
  }

  @Test(dataProvider = "kinds")
  public void shouldUseTheLesserRingWhenTheSidesAreConfiguredDifferently(Kind kind) {
    JobToken token = JobToken.random();
    ImmutableList<SlotGeometry> geometries =
        ImmutableList.of(new SlotGeometry(2, 1024), new SlotGeometry(5, 128));
    try (Fabric low = kind.open(0, token, geometries.get(0));
        Fabric high = kind.open(1, token, geometries.get(1));
        TestMemory source = new TestMemory(5000, 0, 0).fill(6);
        TestMemory target = new TestMemory(5000, 0, 0)) {
      Channel sender = high.connect(0, low.address(), 1, Deadline.after(FabricPair.BUDGET));
      Channel receiver = low.connect(1, high.address(), 1, Deadline.after(FabricPair.BUDGET));
      sender.send(9, source, 0, 5000);
      receiver.receive(9, target, 0, 5000);
      FabricPair.drive(() -> receiver.poll(new Log()) == 1, low, high);
      assertEquals(target.get(0, 5000), source.get(0, 5000));
    }
  }
}
