// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.DataType;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.store.cast.Cast;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.volume.VolumeOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Puts whose bytes the volume reads itself, over a device that does what the test says. */
public class OneSidedPutTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  /** The block is used from its beginning again for the last of these. */
  private static final int PIECES = 3;

  private static final int PIECE_ELEMENTS = VolumePulls.PIECE_BYTES / Float.BYTES;

  /** The last piece is a short one. */
  private static final int ELEMENTS = (PIECES - 1) * PIECE_ELEMENTS + 5;

  private static final long ROOM = 4L * PIECES * VolumePulls.PIECE_BYTES;

  private FakeReads device;
  private OneSidedVolume volume;

  /** It sees what the volume has over the connection alone. */
  private TensorStore observer;

  @BeforeMethod
  public void start() {
    device = new FakeReads();
    volume = new OneSidedVolume(new VolumeOptions(ROOM, 1, LONG).withReads(device), device);
    observer = volume.plain();
  }

  @AfterMethod(alwaysRun = true)
  public void leaveNothingRegistered() {
    observer.close();
    volume.close();
    assertEquals(device.living(), 0);
  }

  private static void put(TensorStore store, int first) {
    Tensors.put(store, Tensors.counting(first, ELEMENTS));
  }

  private static void assertCounting(TensorStore store, int first) {
    float[] got = Tensors.elements(store.get("w"));
    assertEquals(got.length, ELEMENTS);
    for (int index = 0; index < got.length; index++) {
      if (got[index] != (float) (first + index)) {
        throw new AssertionError("element " + index + " is " + got[index]);
      }
    }
  }

  @Test(timeOut = 120_000)
  public void shouldHaveTheVolumeReadWhatIsPut() {
    try (TensorStore store = volume.store()) {
      for (int round = 1; round <= 3; round++) {
        put(store, round);
        assertEquals(device.reads(), round * PIECES);
        assertEquals(device.exposed(), 0, "its block is exposed for one put alone");
        assertCounting(observer, round);
        assertEquals(device.reads(), round * PIECES, "the observer has no device");
      }
      assertEquals(device.ways(), 1);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldKeepTheChecksumOfWhatIsPut() {
    HostTensor tensor = Tensors.counting(3, ELEMENTS);
    try (TensorStore store = volume.store()) {
      store.put("w", tensor);
      observer.put("same", tensor);
      int over = observer.list("same").get(0).checksum();
      assertEquals(observer.list("w").get(0).checksum(), over);
      try (Snapshot snapshot = store.open(List.of("w"))) {
        snapshot.verify("w");
      }
    } finally {
      tensor.memory().close();
    }
  }

  /** What is short, or has no bytes, goes over the connection, in the same put. */
  @Test(timeOut = 120_000)
  public void shouldPutLongAndShortTensorsTogether() {
    Map<String, HostTensor> tensors = new LinkedHashMap<>();
    tensors.put("short", Tensors.counting(1, 100));
    tensors.put("long", Tensors.counting(2, ELEMENTS));
    tensors.put("empty", HostTensor.allocate(DataType.F32, 0, 7));
    tensors.put("least", Tensors.counting(3, VolumePulls.LEAST_BYTES / Float.BYTES));
    tensors.put("shorter", Tensors.counting(4, VolumePulls.LEAST_BYTES / Float.BYTES - 1));
    try (TensorStore store = volume.store()) {
      assertEquals(store.putStateDict("policy", tensors), 1);
      assertEquals(device.reads(), PIECES + 1);
      try (Snapshot snapshot = observer.openStateDict("policy")) {
        tensors.forEach(
            (name, tensor) -> {
              HostTensor got = snapshot.get(name);
              assertEquals(Layouts.bytes(got), Layouts.bytes(tensor), name);
              got.memory().close();
            });
      }
    } finally {
      tensors.values().forEach(tensor -> tensor.memory().close());
    }
  }

  @Test(timeOut = 120_000)
  public void shouldNarrowWhatIsPut() {
    HostTensor tensor = Tensors.counting(1, ELEMENTS);
    try (TensorStore store = volume.store()) {
      Cast cast = Cast.to(DataType.BF16);
      store.putStateDict("read", Map.of("w", tensor), cast);
      assertTrue(device.reads() > 0, "it was sent");
      observer.putStateDict("sent", Map.of("w", tensor), cast);
      try (Snapshot read = observer.openStateDict("read");
          Snapshot sent = observer.openStateDict("sent")) {
        HostTensor one = read.get("w");
        HostTensor other = sent.get("w");
        assertEquals(Layouts.bytes(one), Layouts.bytes(other));
        one.memory().close();
        other.memory().close();
      }
    } finally {
      tensor.memory().close();
    }
  }

  @DataProvider
  public static Object[][] sides() {
    return new Object[][] {{true, false}, {false, true}, {false, false}};
  }

  @Test(timeOut = 120_000, dataProvider = "sides")
  public void shouldSendWhereOneSideHasNoDevice(boolean there, boolean here) {
    VolumeOptions plain = new VolumeOptions(ROOM, 1, LONG);
    VolumeOptions options = there ? plain.withReads(device) : plain;
    try (OneSidedVolume other = new OneSidedVolume(options, device);
        TensorStore store = here ? other.store() : other.plain();
        TensorStore reader = other.plain()) {
      for (int round = 1; round <= 2; round++) {
        put(store, round);
        assertCounting(reader, round);
      }
      assertEquals(device.ways(), here ? 1 : 0, "it asks once");
    }
    assertEquals(device.reads(), 0);
  }

  @Test(timeOut = 120_000)
  public void shouldSendWhatItsDeviceDoesNotExpose() {
    try (TensorStore store = volume.store()) {
      device.beforeExposure(
          () -> {
            throw new ResourceException("no more memory may be locked");
          });
      for (int round = 1; round <= 2; round++) {
        put(store, round);
        assertCounting(observer, round);
      }
      assertEquals(device.ways(), 1, "it tries once");
    }
    assertEquals(device.reads(), 0);
  }

  /** Then also whoever runs the volume is told. */
  @Test(timeOut = 120_000)
  public void shouldSendWhatTheVolumesDeviceCannotReadTo() {
    try (TensorStore store = volume.store()) {
      device.beforeLanding(
          () -> {
            throw new ResourceException("no more memory may be locked");
          });
      put(store, 1);
      assertCounting(observer, 1);
      assertEquals(device.warnings(), 1, "the volume's alone, as the store tries again");
      put(store, 2);
      assertCounting(observer, 2);
      device.beforeLanding(() -> {});
      put(store, 3);
      assertCounting(observer, 3);
      assertEquals(device.reads(), PIECES);
      assertEquals(device.ways(), 3);
    }
  }

  /** The volume must not wait for the rest of it, as the store that began it goes on. */
  @Test(timeOut = 120_000)
  public void shouldLeaveNothingOfAPutThatADefectEnds() {
    try (TensorStore store = volume.store()) {
      device.beforeExposure(
          () -> {
            throw new IllegalStateException("a defect");
          });
      assertThrows(IllegalStateException.class, () -> put(store, 1));
      Clients.awaitOnly(1, observer::figures);
      assertNothingIsThere();
    }
  }

  /** The second piece is withdrawn while the volume has half of it. */
  @Test(timeOut = 120_000)
  public void shouldSendAgainWhatIsWithdrawnInTheMiddle() {
    try (TensorStore store = volume.store()) {
      put(store, 1);
      assertEquals(device.reads(), PIECES);
      device.inTheMiddle(
          () -> {
            if (device.reads() == PIECES + 1) {
              device.inTheMiddle(() -> {});
              device.withdrawAll();
            }
          });
      put(store, 2);
      assertEquals(device.reads(), PIECES + 1, "the rest came over the connection");
      assertCounting(observer, 2);
      put(store, 3);
      assertEquals(device.ways(), 2);
      assertEquals(device.reads(), 2 * PIECES + 1);
      assertCounting(observer, 3);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldMakeANewWayForOneThatBreaksButNotForEver() {
    try (TensorStore store = volume.store()) {
      device.breakNext(Integer.MAX_VALUE);
      for (int round = 1; round <= 5; round++) {
        put(store, round);
        assertCounting(observer, round);
      }
      assertEquals(device.ways(), 3);
      device.breakNext(0);
      put(store, 6);
      assertCounting(observer, 6);
      assertEquals(device.reads(), 0, "it has given up");
    }
  }

  /** What counts is how many break with nothing read between them. */
  @Test(timeOut = 120_000)
  public void shouldGoOnHoweverOftenAWayBreaks() {
    try (TensorStore store = volume.store()) {
      int rounds = 5;
      for (int round = 1; round <= rounds; round++) {
        device.breakNext(1);
        put(store, 2 * round);
        assertCounting(observer, 2 * round);
        put(store, 2 * round + 1);
        assertCounting(observer, 2 * round + 1);
        assertEquals(device.reads(), round * PIECES, "the first of the two was sent");
      }
      assertEquals(device.ways(), 1 + rounds);
    }
  }

  /** A byte of the block changes when its checksum has been taken, and before it is read. */
  @Test(timeOut = 120_000)
  public void shouldRefuseBytesThatChangeOnTheirWay() {
    try (TensorStore store = volume.store()) {
      put(store, 1);
      device.inTheMiddle(
          () -> {
            device.inTheMiddle(() -> {});
            device.spoil(VolumePulls.PIECE_BYTES - 1);
          });
      CorruptException refused = expectThrows(CorruptException.class, () -> put(store, 2));
      assertTrue(refused.getMessage().contains("changed on their way"), refused.getMessage());
      assertEquals(device.exposed(), 0);
      assertCounting(observer, 1);
      put(store, 3);
      assertCounting(observer, 3);
    }
  }

  /** What the volume has read is not what a device has summed up; so it is with the next put. */
  @Test(timeOut = 120_000)
  public void shouldRefuseWhatHasAnotherChecksumThanItsDeviceSays() {
    HostTensor tensor = Tensors.counting(1, ELEMENTS);
    long size = tensor.spec().sizeBytes();
    int right = Checksum.of(tensor.address(0, size), size);
    try (TensorStore store = volume.store()) {
      CorruptException refused =
          expectThrows(
              CorruptException.class,
              () -> store.putStateDict("policy", Map.of("w", tensor), Map.of("w", right + 1)));
      assertTrue(refused.getMessage().contains("'w'"), refused.getMessage());
      assertEquals(device.reads(), PIECES, "it was sent");
      assertEquals(device.exposed(), 0);
      assertFalse(store.exists("w"), "which is answered once the put has been given up");
      assertNothingIsThere();
      assertEquals(store.putStateDict("policy", Map.of("w", tensor), Map.of("w", right)), 1);
      assertEquals(device.reads(), 2 * PIECES);
      assertEquals(device.ways(), 1);
    } finally {
      tensor.memory().close();
    }
  }

  /** The device may write there still. */
  @Test(timeOut = 120_000)
  public void shouldLendToNobodyTheRoomThatADeviceKeeps() {
    try (TensorStore store = volume.store()) {
      device.keepNext(1);
      ResourceException refused = expectThrows(ResourceException.class, () -> put(store, 1));
      assertTrue(refused.getMessage().contains("the room of 'w'"), refused.getMessage());
    }
    Clients.awaitOnly(1, observer::figures);
    assertFalse(observer.exists("w"));
    assertTaken();
    put(observer, 2);
    assertCounting(observer, 2);
  }

  /** Nor is it known then whether the device has let go. */
  @Test(timeOut = 120_000)
  public void shouldLendToNobodyTheRoomThatADefectLeavesToADevice() {
    try (TensorStore store = volume.store()) {
      device.beforeLettingGo(
          () -> {
            device.beforeLettingGo(() -> {});
            throw new IllegalStateException("a defect");
          });
      assertThrows(TomboloException.class, () -> put(store, 1));
    }
    Clients.awaitOnly(1, observer::figures);
    assertFalse(observer.exists("w"));
    assertTaken();
  }

  /** By what has not ended the device may write there still. */
  @Test(timeOut = 120_000)
  public void shouldLendToNobodyTheRoomOfAWayThatBreaksAndDoesNotEnd() {
    try (TensorStore store = volume.store()) {
      device.breakNext(1);
      device.keepEndsNext(1);
      ResourceException refused = expectThrows(ResourceException.class, () -> put(store, 1));
      assertTrue(refused.getMessage().contains("the room of 'w'"), refused.getMessage());
    }
    Clients.awaitOnly(1, observer::figures);
    assertTaken();
  }

  /** At the latest with its volume. */
  @Test(timeOut = 120_000)
  public void shouldEndAWayInTheEnd() {
    try (TensorStore store = volume.store()) {
      put(store, 1);
      device.keepEndsNext(1);
    }
    Clients.awaitOnly(1, observer::figures);
    assertCounting(observer, 1);
    assertTrue(device.living() > 0, "it has ended at once");
  }

  private void assertTaken() {
    assertEquals(observer.figures().puts(), 0, "a put that has ended");
    long taken = observer.figures().capacityBytes() - observer.figures().freeBytes();
    assertTrue(taken >= (long) ELEMENTS * Float.BYTES, "only " + taken + " bytes are taken");
  }

  /** That put has gone well; none after it goes that way. */
  @Test(timeOut = 120_000)
  public void shouldSendOnceItsDeviceKeepsItsBlock() {
    try (TensorStore store = volume.store()) {
      device.keepExposedNext(1);
      put(store, 1);
      assertCounting(observer, 1);
      assertEquals(device.reads(), PIECES);
      put(store, 2);
      assertCounting(observer, 2);
      assertEquals(device.reads(), PIECES);
    }
    assertEquals(device.exposed(), 1, "what the device keeps");
    device.withdrawAll();
  }

  private void assertNothingIsThere() {
    assertFalse(observer.exists("w"));
    assertEquals(observer.figures().puts(), 0);
    assertEquals(observer.figures().freeBytes(), observer.figures().capacityBytes());
  }

  /** It takes its block back, whatever the volume is about to read. */
  @Test(timeOut = 120_000)
  public void shouldGiveUpAPutWhenItsStoreIsClosed() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    device.inTheMiddle(
        () -> {
          reading.countDown();
          await(goOn);
        });
    TensorStore store = volume.store();
    CompletableFuture<Void> putting = CompletableFuture.runAsync(() -> put(store, 1));
    assertTrue(reading.await(60, TimeUnit.SECONDS), "nobody reads");
    store.close();
    CompletionException failed =
        expectThrows(
            CompletionException.class, () -> putting.orTimeout(60, TimeUnit.SECONDS).join());
    assertTrue(failed.getCause() instanceof TomboloException, failed.toString());
    assertEquals(device.exposed(), 0);
    goOn.countDown();
    Clients.awaitOnly(1, observer::figures);
    assertEquals(device.reads(), 0);
    assertNothingIsThere();
  }

  private static void await(CountDownLatch event) {
    try {
      assertTrue(event.await(60, TimeUnit.SECONDS), "it does not come");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
