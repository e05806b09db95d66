// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.Interrupts;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.shm.Memfd;
import io.tombolo.rdma.verbs.Devices.Trouble;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Reads of what another process exposes: all of it as it was exposed, or an error. */
public final class OneSidedTest {
  private static final String WHAT = "'w' of version 8 of 'policy'";
  private static final int MTU = 4096;
  private static final int ALL = OneSidedPair.SIZE_BYTES;
  private static final int ROUNDS = 12;

  /** Objects of which none is missed in a row, from which on all could be made. */
  private static final int WELL_IN_A_ROW = 3;

  private static final Duration BUDGET = Duration.ofSeconds(60);

  private long living;

  @BeforeMethod
  public void count() {
    living = LateEnds.living();
  }

  @AfterMethod(alwaysRun = true)
  public void leaveNothingBehind() {
    for (String fault :
        List.of("TAG_BITS", "EIO_PERCENT", "LOSS_PERCENT", "FAIL_CREATE_AT", "NO_DMABUF")) {
      EmulatedHca.set(fault, "0");
    }
    EmulatedHca.set("PROFILE", "mlx5");
    assertEquals(LateEnds.living(), living, "objects of the NIC");
  }

  @DataProvider
  public Object[][] drivers() {
    return new Object[][] {{"mlx5"}, {"bnxt"}, {"irdma"}, {"hns"}, {"rxe"}, {"least"}};
  }

  @Test(dataProvider = "drivers")
  public void shouldReadEverySizeAndNothingBeside(String driver) {
    EmulatedHca.set("PROFILE", driver);
    try (OneSidedPair both = new OneSidedPair();
        Exposure shown = both.expose(WHAT)) {
      byte[] bytes = both.fill(1);
      for (int size : List.of(0, 1, MTU - 1, MTU, MTU + 1, 100_003)) {
        both.touchNothing();
        both.read(shown.remote(), 77, 1001, size);
        assertEquals(both.got.get(1001, size), Arrays.copyOfRange(bytes, 77, 77 + size));
        assertTrue(both.isUntouchedBeside(1001, size), size + " bytes");
      }
      assertEquals(both.readAll(shown.remote()), bytes);
    }
  }

  /** How a device hands out its memory, and whether the NIC's driver takes dma-bufs. */
  private enum Exported {
    AS_DMA_BUF,
    AS_DMA_BUF_THAT_IS_MAPPED,
    AS_PEER_MEMORY
  }

  @DataProvider
  public Object[][] exported() {
    return Arrays.stream(Exported.values())
        .map(each -> new Object[] {each})
        .toArray(Object[][]::new);
  }

  /** What is shown begins in the middle of what the device has. */
  @Test(dataProvider = "exported")
  public void shouldReadMemoryOfADeviceUntilItIsWithdrawn(Exported how) {
    EmulatedHca.set("NO_DMABUF", how == Exported.AS_DMA_BUF ? "0" : "1");
    int file = how == Exported.AS_PEER_MEMORY ? -1 : Memfd.create(2L * MTU + ALL);
    try (NativeMemory device =
            file < 0
                ? NativeMemory.allocate(2L * MTU + ALL)
                : NativeMemory.map(file, 2L * MTU + ALL);
        OneSidedPair both = new OneSidedPair()) {
      MemoryExport export =
          file < 0
              ? new MemoryExport.PeerMemory(device.address(MTU, ALL))
              : new MemoryExport.DmaBuf(file, MTU);
      byte[] bytes = both.fill(7);
      device.put(MTU, bytes, 0, ALL);
      try (Exposure shown = both.holder.expose(WHAT, new MemoryBlock(ALL, () -> export))) {
        assertEquals(both.readAll(shown.remote()), bytes);
        both.touchNothing();
        both.read(shown.remote(), 77, 1001, MTU);
        assertEquals(both.got.get(1001, MTU), Arrays.copyOfRange(bytes, 77, 77 + MTU));
        assertTrue(both.isUntouchedBeside(1001, MTU));
        RemoteMemory real = shown.remote();
        RemoteMemory longer =
            new RemoteMemory("longer", real.address(), ALL + 1, real.key(), real.cell(), 0);
        assertThrows(AbortedException.class, () -> both.read(longer, 1, 0, ALL));
        both.connect();
        shown.withdraw();
        device.put(MTU, both.fill(8), 0, ALL);
        assertThrows(AbortedException.class, () -> both.readAll(real));
      }
    }
  }

  @Test(timeOut = 120_000)
  public void shouldReadAllWhenPacketsGetLost() throws Exception {
    try (OneSidedPair both = new OneSidedPair();
        Exposure shown = both.expose(WHAT);
        Trouble trouble = Devices.trouble(2, 2)) {
      byte[] bytes = both.fill(2);
      assertEquals(both.readAll(shown.remote()), bytes);
    }
  }

  /** Longer than all requests that are posted at once. */
  @Test(timeOut = 120_000)
  public void shouldReadMoreThanFitsInTheQueue() {
    long size = (ReadPair.DEPTH + 1L) * ReaderEnd.REQUEST_BYTES + 12_345;
    try (NativeMemory large = NativeMemory.allocate(size);
        NativeMemory copy = NativeMemory.allocate(size);
        OneSidedPair both = new OneSidedPair();
        Exposure shown = both.holder.expose(WHAT, OneSidedPair.block(large));
        ReadTarget into = both.reader.target(OneSidedPair.block(copy))) {
      for (long at = 0; at + Long.BYTES <= size; at += 1 << 16) {
        large.cell(at).setVolatile(at + 1);
      }
      both.readerEnd.read(shown.remote(), 0, into, 0, size, Deadline.after(BUDGET));
      for (long at = 0; at + Long.BYTES <= size; at += 1 << 16) {
        assertEquals(copy.cell(at).getVolatile(), at + 1);
      }
      assertEquals(copy.get(size - 9, 9), large.get(size - 9, 9));
    }
  }

  /** What is shown now is read by many, and what others show stays. */
  @Test
  public void shouldKeepWhatIsShownApart() {
    try (NativeMemory other = NativeMemory.allocate(MTU);
        OneSidedPair both = new OneSidedPair();
        Exposure first = both.expose("first");
        Exposure second = both.holder.expose("second", OneSidedPair.block(other));
        ReaderEnd alsoReads = both.reader.readerEnd("the same");
        HolderEnd alsoHolds = both.holder.holderEnd()) {
      alsoHolds.connect(alsoReads.card());
      alsoReads.connect(alsoHolds.card());
      other.put(0, both.fill(3), 5, MTU);
      first.withdraw();
      assertThrows(AbortedException.class, () -> both.readAll(first.remote()));
      alsoReads.read(second.remote(), 0, both.target, 0, MTU, Deadline.after(BUDGET));
      assertEquals(both.got.get(0, MTU), other.get(0, MTU));
    }
  }

  @Test
  public void shouldNameHolderAndTensorWhenTheKeyHoldsNoMore() {
    try (OneSidedPair both = new OneSidedPair()) {
      Exposure shown = both.expose(WHAT);
      shown.withdraw();
      shown.withdraw();
      AbortedException error =
          expectThrows(AbortedException.class, () -> both.readAll(shown.remote()));
      assertEquals(
          error.getMessage().replaceAll("after \\d+ ms", "after a while"),
          "reading 1048576 bytes of 'w' of version 8 of 'policy' from the holder at test:1 failed"
              + " after a while: remote access error; the holder has withdrawn it: open it again"
              + " once it is shown");
      assertTrue(both.readerEnd.isBroken());
      try (Exposure next = both.expose("next")) {
        PeerFailedException broken =
            expectThrows(PeerFailedException.class, () -> both.readAll(next.remote()));
        assertTrue(broken.getMessage().contains("make another"), broken.getMessage());
        both.connect();
        byte[] bytes = both.fill(4);
        assertEquals(both.readAll(next.remote()), bytes);
      }
    }
  }

  /** Keys repeat: here the very next registration gets the old one, for the same address. */
  @Test
  public void shouldNotTakeOtherBytesUnderAnOldKeyForTheOnesThatWereShown() {
    EmulatedHca.set("TAG_BITS", "1");
    try (OneSidedPair both = new OneSidedPair()) {
      both.fill(5);
      Exposure old = both.expose(WHAT);
      old.withdraw();
      byte[] newer = both.fill(6);
      try (Exposure now = both.expose("now")) {
        assertEquals(now.remote().key(), old.remote().key(), "the key that has come back");
        assertEquals(now.remote().address(), old.remote().address());
        AbortedException error =
            expectThrows(AbortedException.class, () -> both.readAll(old.remote()));
        assertTrue(error.getMessage().contains(WHAT), error.getMessage());
        assertTrue(error.getMessage().contains("came too late"), error.getMessage());
        assertFalse(both.readerEnd.isBroken());
        assertEquals(both.readAll(now.remote()), newer);
      }
    }
  }

  /** The owner writes as soon as it has withdrawn; whoever reads meanwhile hears of it. */
  @Test(timeOut = 180_000)
  public void shouldNeverReadWhatIsWrittenAfterTheWithdrawal() throws Exception {
    EmulatedHca.set("TAG_BITS", "1");
    try (OneSidedPair both = new OneSidedPair()) {
      for (int round = 0; round < ROUNDS; round++) {
        byte[] shown = both.fill(round);
        Exposure exposure = both.expose("round " + round);
        CountDownLatch reading = new CountDownLatch(1);
        AtomicReference<Optional<Exposure>> after = new AtomicReference<>(Optional.empty());
        Thread owner =
            new Thread(
                () -> {
                  await(reading);
                  exposure.withdraw();
                  NativeMemory.fill(both.held.address(), (byte) 0xff, ALL);
                  after.set(Optional.of(both.expose("after")));
                });
        owner.start();
        try {
          readUntilWithdrawn(both, exposure, reading, shown);
        } finally {
          reading.countDown();
          assertTrue(Interrupts.join(owner, Deadline.after(BUDGET)), "the owner waits");
          after.get().ifPresent(Exposure::close);
        }
        if (both.readerEnd.isBroken()) {
          both.connect();
        }
      }
    }
  }

  private static void readUntilWithdrawn(
      OneSidedPair both, Exposure exposure, CountDownLatch reading, byte[] shown) {
    try {
      Deadline deadline = Deadline.after(BUDGET);
      while (!deadline.isExpired()) {
        assertEquals(both.readAll(exposure.remote()), shown);
        reading.countDown();
      }
      throw new AssertionError("it is withdrawn, and can be read all the same");
    } catch (AbortedException e) {
      assertTrue(e.getMessage().contains("withdrawn"), e.getMessage());
    }
  }

  private static void await(CountDownLatch event) {
    try {
      assertTrue(event.await(BUDGET.toSeconds(), TimeUnit.SECONDS), "it does not come");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @DataProvider
  public Object[][] outside() {
    return new Object[][] {
      {-1L, 0L, 1L},
      {0L, -1L, 1L},
      {0L, 0L, -1L},
      {0L, 0L, ALL + 1L},
      {1L, 0L, (long) ALL},
      {0L, 1L, (long) ALL},
      {Long.MAX_VALUE, 0L, 1L},
      {0L, Long.MAX_VALUE, 1L},
      {1L, 1L, Long.MAX_VALUE},
    };
  }

  @Test(dataProvider = "outside")
  public void shouldRefuseWhatIsOutsideBeforeAnythingMoves(long from, long to, long bytes) {
    try (OneSidedPair both = new OneSidedPair();
        Exposure shown = both.expose(WHAT)) {
      both.touchNothing();
      assertThrows(UsageException.class, () -> both.read(shown.remote(), from, to, bytes));
      assertTrue(both.isUntouchedBeside(0, 0));
      assertEquals(both.readAll(shown.remote()), both.held.get(0, ALL));
    }
  }

  /** Who has an end may read what is exposed, and nothing else, whatever it makes up. */
  @Test
  public void shouldRefuseMadeUpMemoryByTheHoldersNic() {
    try (OneSidedPair both = new OneSidedPair();
        Exposure shown = both.expose(WHAT);
        ReadTarget notExposed = both.holder.target(OneSidedPair.block(both.held))) {
      RemoteMemory real = shown.remote();
      int ownKey = notExposed.localKey();
      long size = real.sizeBytes();
      for (RemoteMemory madeUp :
          List.of(
              new RemoteMemory("longer", real.address(), size + 1, real.key(), 0, 0),
              new RemoteMemory("before", real.address() - 1, size, real.key(), 0, 0),
              new RemoteMemory("no key", real.address(), size, real.key() + 1, 0, 0),
              new RemoteMemory("not exposed", real.address(), size, ownKey, 0, 0))) {
        both.touchNothing();
        long bytes = Math.min(madeUp.sizeBytes(), ALL);
        long offset = madeUp.sizeBytes() - bytes;
        assertThrows(AbortedException.class, () -> both.read(madeUp, offset, 0, bytes));
        assertTrue(both.isUntouchedBeside(0, 0), madeUp.what());
        both.connect();
      }
      assertEquals(both.readAll(real), both.held.get(0, ALL));
    }
  }

  /** The two ends of two readers, connected to each other: neither gives anything away. */
  @Test
  public void shouldNotBeReadByHoldersWhenOnlyReading() {
    try (OneSidedPair both = new OneSidedPair();
        Exposure shown = both.expose(WHAT);
        ReaderEnd there = both.holder.readerEnd("nobody");
        ReaderEnd here = both.reader.readerEnd("a reader")) {
      there.connect(here.card());
      here.connect(there.card());
      both.touchNothing();
      assertThrows(
          TomboloException.class,
          () -> here.read(shown.remote(), 0, both.target, 0, MTU, Deadline.after(BUDGET)));
      assertTrue(both.isUntouchedBeside(0, 0));
    }
  }

  @Test(timeOut = 60_000)
  public void shouldSayThatTheHolderIsGone() {
    try (OneSidedPair both = new OneSidedPair();
        Exposure shown = both.expose(WHAT)) {
      both.holderEnd.close();
      PeerFailedException error =
          expectThrows(PeerFailedException.class, () -> both.readAll(shown.remote()));
      assertTrue(error.getMessage().contains("from the holder at test:1"), error.getMessage());
      assertTrue(both.readerEnd.isBroken());
    }
  }

  /** As a driver may for seconds while it pins what a large block has. */
  @Test(timeOut = 120_000)
  public void shouldWithdrawWhileAnotherBlockIsBeingRegistered() throws Exception {
    CountDownLatch registering = new CountDownLatch(1);
    CountDownLatch withdrawn = new CountDownLatch(1);
    try (NativeMemory large = NativeMemory.allocate(MTU);
        OneSidedPair both = new OneSidedPair();
        Exposure shown = both.expose(WHAT)) {
      MemoryBlock slow =
          new MemoryBlock(
              MTU,
              () -> {
                registering.countDown();
                await(withdrawn);
                return new MemoryExport.Host(large.address());
              });
      CompletableFuture<Void> exposing =
          CompletableFuture.runAsync(() -> both.holder.expose("large", slow).close());
      await(registering);
      shown.withdraw();
      both.holder.target(OneSidedPair.block(large)).close();
      assertFalse(exposing.isDone(), "it waits for the withdrawal");
      withdrawn.countDown();
      exposing.get(BUDGET.toSeconds(), TimeUnit.SECONDS);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldRegisterNothingWhereTooMuchIsExposed() {
    try (NativeMemory memory = NativeMemory.allocate(MTU);
        OneSided holder = OneSided.open(Devices.open(0));
        CloseStack exposed = new CloseStack()) {
      MemoryBlock none = new MemoryBlock(MTU, () -> new MemoryExport.None("no reason at all"));
      assertThrows(UnsupportedException.class, () -> holder.expose(WHAT, none)); // takes no cell
      for (int count = 0; count < GenerationCells.COUNT; count++) {
        assertEquals(
            exposed.opened(holder.expose(WHAT, OneSidedPair.block(memory))).remote().sizeBytes(),
            MTU);
      }
      AtomicInteger asked = new AtomicInteger();
      MemoryBlock oneMore =
          new MemoryBlock(
              MTU,
              () -> {
                asked.incrementAndGet();
                return new MemoryExport.Host(memory.address());
              });
      assertThrows(ResourceException.class, () -> holder.expose(WHAT, oneMore));
      assertEquals(asked.get(), 0, "it was registered all the same");
    }
  }

  /**
   * The transport alone takes half a second until it gives up; a busy machine may take long until
   * the first request is posted.
   */
  @Test(timeOut = 60_000)
  public void shouldWaitNoLongerThanItMay() {
    try (OneSidedPair both = new OneSidedPair();
        Exposure shown = both.expose(WHAT)) {
      EmulatedHca.set("LOSS_PERCENT", "100");
      Deadline soon = Deadline.after(Duration.ofMillis(200));
      DeadlineExceededException error =
          expectThrows(
              DeadlineExceededException.class,
              () -> both.readerEnd.read(shown.remote(), 0, both.target, 0, ALL, soon));
      assertTrue(error.getMessage().contains(WHAT), error.getMessage());
      assertTrue(both.readerEnd.isBroken());
      Deadline over = Deadline.after(Duration.ZERO);
      both.connect();
      assertThrows(
          DeadlineExceededException.class,
          () -> both.readerEnd.read(shown.remote(), 0, both.target, 0, ALL, over));
      assertFalse(both.readerEnd.isBroken(), "nothing was begun");
    }
  }

  @Test
  public void shouldGiveUpWhenAborted() {
    try (OneSidedPair both = new OneSidedPair();
        Exposure shown = both.expose(WHAT)) {
      both.readerEnd.abort();
      AbortedException error =
          expectThrows(AbortedException.class, () -> both.readAll(shown.remote()));
      assertTrue(error.getMessage().contains("given up by this process"), error.getMessage());
    }
  }

  @Test
  public void shouldGiveUpWhenInterrupted() {
    try (OneSidedPair both = new OneSidedPair();
        Exposure shown = both.expose(WHAT)) {
      Thread.currentThread().interrupt();
      assertThrows(AbortedException.class, () -> both.readAll(shown.remote()));
      assertTrue(Thread.interrupted(), "the thread stays interrupted");
      assertEquals(both.readAll(shown.remote()), both.held.get(0, ALL));
    }
  }

  /** The bytes are void before the NIC is asked to let go of them. */
  @Test
  public void shouldBeVoidThoughTheNicDoesNotLetGo() {
    try (OneSidedPair both = new OneSidedPair();
        Exposure shown = both.expose(WHAT)) {
      EmulatedHca.set("EIO_PERCENT", "100");
      assertThrows(FabricException.class, shown::withdraw);
      EmulatedHca.set("EIO_PERCENT", "0");
      AbortedException error =
          expectThrows(AbortedException.class, () -> both.readAll(shown.remote()));
      assertTrue(error.getMessage().contains("came too late"), error.getMessage());
    }
  }

  @Test
  public void shouldSayWhatCannotBeExposed() {
    try (OneSidedPair both = new OneSidedPair()) {
      MemoryBlock none = new MemoryBlock(7, () -> new MemoryExport.None("no reason at all"));
      UnsupportedException error =
          expectThrows(UnsupportedException.class, () -> both.holder.expose(WHAT, none));
      assertTrue(error.getMessage().contains("no reason at all"), error.getMessage());
      assertTrue(error.getMessage().contains(WHAT), error.getMessage());
    }
  }

  @Test
  public void shouldLeaveNothingBehindWhicheverObjectCannotBeMade() {
    int refused = 0;
    int n = 0;
    for (int well = 0; well < WELL_IN_A_ROW; ) {
      EmulatedHca.set("FAIL_CREATE_AT", Integer.toString(++n));
      try (OneSided one = OneSided.open(Devices.open(0));
          ReaderEnd end = one.readerEnd("nobody")) {
        assertFalse(end.isBroken());
        well++; // the NIC does without a window
      } catch (ResourceException e) {
        refused++;
        well = 0;
      }
      assertEquals(LateEnds.living(), living, "left behind without object " + n);
    }
    assertTrue(refused > 5, "there is more to make than " + refused);
  }

  @Test
  public void shouldNeverGiveACellAValueThatItHasHad() {
    try (NicPort nic = Devices.open(0);
        GenerationCells cells = new GenerationCells(nic.domain())) {
      int cell = cells.raise();
      long generation = cells.generation(cell);
      cells.drop(cell);
      for (int other = 1; other < GenerationCells.COUNT; other++) {
        assertNotEquals(cells.raise(), cell, "used again before all others");
      }
      assertEquals(cells.raise(), cell);
      assertEquals(cells.generation(cell), generation + 1);
      assertThrows(ResourceException.class, cells::raise);
    }
  }
}
