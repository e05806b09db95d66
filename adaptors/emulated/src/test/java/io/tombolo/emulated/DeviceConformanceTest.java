// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static io.tombolo.emulated.TestDevices.await;
import static io.tombolo.emulated.TestDevices.finish;
import static io.tombolo.emulated.TestDevices.get;
import static io.tombolo.emulated.TestDevices.put;
import static io.tombolo.emulated.TestDevices.read;
import static io.tombolo.emulated.TestDevices.write;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceChecksummer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.DeviceSource;
import io.tombolo.adaptors.reduce.HostReducer;
import io.tombolo.base.DataType;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UnsupportedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Factory;
import org.testng.annotations.Test;

/** What every device must do, whoever made it. */
public final class DeviceConformanceTest {
  private static final long SEED = 20251;
  private static final int SIZE = 10_000;

  private final String name;
  private final DeviceSource source;
  private final Random random = new Random(SEED);
  private DeviceAdaptor device;
  private Hold hold;

  @Factory(dataProvider = "devices")
  public DeviceConformanceTest(String name, DeviceSource source) {
    this.name = name;
    this.source = source;
  }

  @DataProvider
  public static Object[][] devices() {
    return TestDevices.all().entrySet().stream()
        .map(entry -> new Object[] {entry.getKey(), entry.getValue()})
        .toArray(Object[][]::new);
  }

  @BeforeClass
  public void open() {
    System.out.println("device " + name + ", seed " + SEED);
    device = source.open(0);
    hold = Hold.of(name, device);
  }

  @AfterClass(alwaysRun = true)
  public void close() {
    hold.close();
    device.close();
  }

  @Override
  public String toString() {
    return name;
  }

  @Test
  public void shouldSayWhatItIs() {
    assertTrue(source.availability().isAvailable());
    assertFalse(device.properties().name().isEmpty());
    long memory = device.properties().totalMemoryBytes();
    boolean untold = name.equals("emu-kunlunxin-xre");
    assertTrue(untold ? memory == 0 : memory > 1L << 28, "" + device.properties());
    assertTrue(
        device.properties().pciBusId().matches("|[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-9]"));
  }

  @Test
  public void shouldCopyEveryWayAtAnyOffset() {
    byte[] bytes = randomBytes(SIZE);
    try (DeviceMemory from = device.allocate(SIZE);
        DeviceMemory to = device.allocate(SIZE);
        Stream stream = device.newStream()) {
      put(device, from.address(), bytes);
      put(device, to.address(), new byte[SIZE]);
      for (int round = 0; round < 20; round++) {
        int length = 1 + random.nextInt(SIZE);
        int at = random.nextInt(SIZE - length + 1);
        int shifted = random.nextInt(SIZE - length + 1);
        device.copyAsync(
            CopyDirection.DEVICE_TO_DEVICE,
            to.address(shifted, length),
            from.address(at, length),
            length,
            stream);
        finish(stream);
        byte[] expected = Arrays.copyOfRange(bytes, at, at + length);
        assertEquals(
            get(device, to.address(shifted, length), length),
            expected,
            "length " + length + " from " + at);
      }
    }
  }

  /** What was there when work failed is kept; what is made later, only while that may run. */
  @Test
  public void shouldFreeWhatWasMadeAfterFailedWorkOnceThatHasEnded() {
    DeviceAdaptor failed = source.open(0);
    DeviceMemory before = failed.allocate(SIZE);
    failed.taint();
    DeviceMemory closedMeanwhile = failed.allocate(SIZE);
    boolean waits = !failed.isHost();
    assertEquals(isLeftBehind(failed, closedMeanwhile), waits, "a free may wait for the work");
    DeviceMemory meanwhile = failed.allocate(SIZE);
    failed.endTaint();
    assertTrue(failed.isTainted());
    assertTrue(isLeftBehind(failed, before));
    assertFalse(isLeftBehind(failed, meanwhile));
    DeviceMemory later = failed.allocate(SIZE);
    failed.taint();
    failed.endTaint();
    assertTrue(isLeftBehind(failed, later), "another failure");
    failed.close();
  }

  private static boolean isLeftBehind(DeviceAdaptor device, DeviceMemory memory) {
    long address = memory.address();
    memory.close();
    return device.allocationAt(address, SIZE).isPresent();
  }

  @Test
  public void shouldFillExactlyTheRange() {
    try (DeviceMemory block = device.allocate(64);
        Stream stream = device.newStream()) {
      device.fillAsync(block.address(), (byte) 1, 64, stream);
      device.fillAsync(block.address(3, 5), (byte) -2, 5, stream);
      finish(stream);
      byte[] expected = new byte[64];
      Arrays.fill(expected, (byte) 1);
      Arrays.fill(expected, 3, 8, (byte) -2);
      assertEquals(get(device, block.address(), 64), expected);
    }
  }

  @Test
  public void shouldAcceptCopiesOfNothing() {
    try (DeviceMemory block = device.allocate(8);
        Stream stream = device.newStream()) {
      device.copyAsync(CopyDirection.DEVICE_TO_DEVICE, block.address(), block.address(), 0, stream);
      device.fillAsync(block.address(), (byte) 1, 0, stream);
      finish(stream);
    }
  }

  @Test
  public void shouldReturnAtOnceWhileTheStreamIsHeld() {
    // All of it first: an allocation may wait for the stream that is held.
    try (DeviceMemory block = device.allocate(SIZE);
        DeviceMemory early = device.allocatePinned(2);
        Stream held = device.newStream();
        Stream free = hold.streamBeside(held)) {
      LongCell cell = hold.word();
      for (byte value : new byte[] {3, 5, 0}) { // each value's first fill may allocate
        device.fillAsync(block.address(), value, SIZE, free);
      }
      finish(free);
      hold.at(held, cell.address(), 7);
      device.fillAsync(block.address(), (byte) 5, SIZE, held);
      assertFalse(held.isIdle());
      device.fillAsync(block.address(), (byte) 3, 1, free);
      device.copyAsync(CopyDirection.DEVICE_TO_HOST, early.address(), block.address(), 2, free);
      finish(free);
      assertFalse(held.isIdle(), "another stream's work must not wait for this one");
      assertEquals(read(early.address(), 2), new byte[] {3, 0}, "queued work ran too early");
      cell.setRelease(6);
      assertFalse(held.isIdle(), "6 is not at least 7");
      cell.setRelease(8);
      finish(held);
      assertEquals(get(device, block.address(), 2), new byte[] {5, 5});
    }
  }

  @Test
  public void shouldRefuseWordsWhereItsStreamsHaveNone() {
    try (DeviceMemory word = device.allocatePinned(8);
        Stream stream = device.newStream()) {
      if (device.isHostOrdered()) {
        assertThrows(
            UnsupportedException.class, () -> device.waitValueAsync(stream, word.address(), 1));
        assertThrows(
            UnsupportedException.class, () -> device.writeValueAsync(stream, word.address(), 1));
      }
      finish(stream);
    }
  }

  @Test
  public void shouldWriteAValueAfterAllEarlierWork() {
    if (device.isHostOrdered()) {
      return; // shouldRefuseWordsWhereItsStreamsHaveNone
    }
    List<LongCell> words = device.newWords(2);
    try (Stream stream = device.newStream()) {
      LongCell gate = words.get(0);
      LongCell done = words.get(1);
      hold.at(stream, gate.address(), 1);
      device.writeValueAsync(stream, done.address(), 42);
      assertEquals(done.getAcquire(), 0);
      gate.setRelease(1);
      await("the value", () -> done.getAcquire() == 42);
    }
  }

  @Test
  public void shouldOrderStreamsByEvents() {
    try (DeviceMemory block = device.allocate(8);
        Event event = device.newAwaitedEvent();
        Stream first = device.newStream();
        Stream second = device.newStream()) {
      LongCell gate = hold.word();
      device.fillAsync(block.address(), (byte) 1, 8, first); // each value's first fill may allocate
      device.fillAsync(block.address(), (byte) 2, 8, first);
      finish(first);
      assertTrue(event.isDone(), "an event that recorded nothing is done");
      hold.at(first, gate.address(), 1);
      device.fillAsync(block.address(), (byte) 1, 8, first);
      event.record(first);
      second.waitFor(event);
      device.fillAsync(block.address(), (byte) 2, 4, second);
      assertFalse(event.isDone());
      assertFalse(second.isIdle());
      gate.setRelease(1);
      finish(second);
      assertTrue(event.isDone());
      assertEquals(get(device, block.address(), 8), new byte[] {2, 2, 2, 2, 1, 1, 1, 1});
    }
  }

  @Test
  public void shouldSayOfItsCallersStreamThatItIsIdleNotBeforeItIs() {
    try (DeviceMemory block = device.allocate(8);
        Stream own = device.newStream()) {
      LongCell gate = hold.word();
      if (name.equals("host")) {
        return; // its streams are not native
      }
      try (Stream wrapped = device.streamOf(own.nativeHandle())) {
        assertFalse(isNeverIdle(wrapped), "nothing is queued");
        hold.at(own, gate.address(), 1);
        device.fillAsync(block.address(), (byte) 1, 8, own);
        assertTrue(isNeverIdle(wrapped), "its work is held");
        gate.setRelease(1);
        finish(own);
        finish(wrapped);
      }
    }
  }

  private static boolean isNeverIdle(Stream stream) {
    boolean idle = false;
    for (int round = 0; round < 200 && !idle; round++) {
      idle = stream.isIdle();
      LockSupport.parkNanos(100_000); // fixed time: that it is never idle shows only then
    }
    return !idle;
  }

  @Test
  public void shouldRunManyStreamsAtOnce() {
    if (device.isHostOrdered()) {
      return; // shouldRefuseWordsWhereItsStreamsHaveNone
    }
    int count = 32;
    List<Stream> streams = new ArrayList<>();
    List<LongCell> words = device.newWords(count);
    for (int i = 0; i < count; i++) {
      streams.add(device.newStream());
    }
    device.writeValueAsync(streams.get(0), words.get(0).address(), 1);
    for (int i = 1; i < count; i++) { // each waits for the one before it; they share queues
      device.waitValueAsync(streams.get(i), words.get(i - 1).address(), 1);
      device.writeValueAsync(streams.get(i), words.get(i).address(), 1);
    }
    streams.forEach(TestDevices::finish);
    assertEquals(words.get(count - 1).getAcquire(), 1);
    streams.forEach(Stream::close);
  }

  @Test
  public void shouldCopyFromHostMemoryWhileItIsRegistered() {
    byte[] bytes = randomBytes(SIZE);
    try (NativeMemory host = NativeMemory.allocate(SIZE);
        DeviceMemory block = device.allocate(SIZE);
        DeviceMemory registered = device.register(host.address(), SIZE);
        Stream stream = device.newStream()) {
      host.put(0, bytes, 0, SIZE);
      assertEquals(registered.address(), host.address());
      device.copyAsync(CopyDirection.HOST_TO_DEVICE, block.address(), host.address(), SIZE, stream);
      finish(stream);
      assertEquals(get(device, block.address(), SIZE), bytes);
    }
  }

  @Test
  public void shouldRegisterAgainAfterUnregistering() {
    try (NativeMemory host = NativeMemory.allocate(SIZE)) {
      device.register(host.address(), SIZE).close();
      device.register(host.address(), SIZE).close();
    }
  }

  @Test
  public void shouldTakeASecondCloseAndRefuseUseAfterIt() {
    DeviceMemory memory = device.allocate(8);
    Stream stream = device.newStream();
    Event event = device.newAwaitedEvent();
    for (int round = 0; round < 2; round++) {
      memory.close();
      event.close();
      stream.close();
    }
    assertThrows(IllegalStateException.class, memory::address);
    assertThrows(IllegalStateException.class, event::isDone);
    assertThrows(IllegalStateException.class, () -> device.fillAsync(0, (byte) 0, 8, stream));
    try (Stream open = device.newStream()) {
      assertThrows(IllegalStateException.class, () -> event.record(open));
      assertThrows(IllegalStateException.class, () -> open.waitFor(event));
    }
  }

  @Test
  public void shouldKeepAHandleClosedWhenItsPlaceIsTakenAgain() {
    DeviceMemory old = device.allocate(8);
    old.close();
    try (DeviceMemory young = device.allocate(8)) {
      assertThrows(IllegalStateException.class, old::address);
      old.close();
      assertTrue(young.address() != 0, "closing the old handle closed the young one");
    }
  }

  @Test
  public void shouldServeThreadsThatNeverTouchedADevice() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<byte[]>> results = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        byte[] bytes = randomBytes(SIZE);
        results.add(threads.submit(() -> roundTrip(bytes)));
      }
      for (Future<byte[]> result : results) {
        assertEquals(result.get(60, TimeUnit.SECONDS).length, SIZE);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  public void shouldReduceAsTheHostDoesOrSayThatItDoesNot() {
    if (!device.reducing().isAvailable()) {
      assertThrows(UnavailableException.class, () -> device.newReducer());
      return;
    }
    int bytes = 4096;
    try (DeviceReducer reducer = device.newReducer();
        Stream stream = device.newStream();
        DeviceMemory a = device.allocate(bytes);
        DeviceMemory b = device.allocate(bytes);
        NativeMemory left = NativeMemory.allocate(bytes);
        NativeMemory right = NativeMemory.allocate(bytes)) {
      for (ReduceOp op : ReduceOp.values()) {
        for (DataType type : DataType.values()) {
          if (op.appliesTo(type)) {
            write(left.address(), randomBytes(bytes));
            write(right.address(), randomBytes(bytes));
            put(device, a.address(), read(left.address(), bytes));
            put(device, b.address(), read(right.address(), bytes));
            long count = bytes / type.sizeBytes();
            reducer.reduceAsync(op, type, b.address(), a.address(), b.address(), count, stream);
            finish(stream);
            HostReducer.best()
                .reduce(op, type, left.address(), left.address(), right.address(), count);
            assertEquals(
                get(device, b.address(), bytes), read(left.address(), bytes), op + " of " + type);
          }
        }
      }
    }
  }

  /** By lengths, at any start; the last by several blocks of threads. */
  @Test
  public void shouldChecksumAsTheHostDoesOrSayThatItDoesNot() {
    Optional<DeviceChecksummer> offered = device.newChecksummer();
    assertEquals(offered.isPresent(), device.reducing().isAvailable());
    if (offered.isEmpty()) {
      return;
    }
    int lengths = 100;
    byte[] bytes = randomBytes((3 << 18) + 5);
    int wordBytes = DeviceChecksummer.RESULT_BYTES;
    try (DeviceChecksummer checksummer = offered.get();
        Stream stream = device.newStream();
        DeviceMemory block = device.allocate(bytes.length);
        DeviceMemory results = device.allocate((long) wordBytes * (lengths + 1))) {
      put(device, block.address(), bytes);
      for (int length = 0; length < lengths; length++) {
        checksummer.checksumAsync(
            results.address((long) wordBytes * length, wordBytes),
            block.address(length % 7, length),
            length,
            stream);
      }
      checksummer.checksumAsync(
          results.address((long) wordBytes * lengths, wordBytes),
          block.address(3, bytes.length - 3),
          bytes.length - 3,
          stream);
      finish(stream);
      ByteBuffer found =
          ByteBuffer.wrap(get(device, results.address(), wordBytes * (lengths + 1)))
              .order(ByteOrder.LITTLE_ENDIAN);
      for (int length = 0; length < lengths; length++) {
        assertEquals(found.getInt(), crc32c(bytes, length % 7, length), length + " bytes");
      }
      assertEquals(found.getInt(), crc32c(bytes, 3, bytes.length - 3), "all but 3 bytes");
    }
  }

  private static int crc32c(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }

  @Test
  public void shouldRefuseBlocksWithoutBytes() {
    assertThrows(IllegalArgumentException.class, () -> device.allocate(0));
    assertThrows(IllegalArgumentException.class, () -> device.allocatePinned(-1));
  }

  @Test
  public void shouldSurviveTenThousandLives() {
    for (int i = 0; i < 10_000; i++) {
      device.allocate(64).close();
      device.allocatePinned(64).close();
      device.newEvent().close();
      if (i % 10 == 0) { // a thread each
        device.newStream().close();
      }
    }
  }

  private byte[] roundTrip(byte[] bytes) {
    for (int round = 0; round < 20; round++) {
      try (DeviceMemory block = device.allocate(bytes.length)) {
        put(device, block.address(), bytes);
        assertEquals(get(device, block.address(), bytes.length), bytes, "round " + round);
      }
    }
    return bytes;
  }

  private byte[] randomBytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }
}
