// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.volume.Holding;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.tensors.layout.Box;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Clients that read past the volume's process, over a device that does what the test says. */
public class OneSidedStoreTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int ROWS = 40;

  /** Half a row is just long enough to be read one-sidedly. */
  private static final int COLUMNS = 2 * VolumeReads.LEAST_RUN_BYTES / Float.BYTES;

  /** All of it needs two reads. */
  private static final int ELEMENTS = ROWS * COLUMNS;

  private FakeReads device;
  private OneSidedVolume volume;
  private TensorStore writer;

  @BeforeMethod
  public void start() {
    device = new FakeReads();
    volume = new OneSidedVolume(forFour().withReads(device), device);
    writer = volume.plain();
  }

  @AfterMethod(alwaysRun = true)
  public void leaveNothingExposed() {
    writer.close();
    volume.close();
    assertEquals(device.living(), 0);
  }

  private static VolumeOptions forFour() {
    return new VolumeOptions(4L * ELEMENTS * Float.BYTES, 2, LONG);
  }

  private void put(HostTensor tensor) {
    Tensors.put(writer, tensor);
  }

  @Test(timeOut = 120_000)
  public void shouldReadLongRunsPastTheVolume() {
    try (TensorStore store = volume.store()) {
      put(Tensors.counting(0, ROWS, COLUMNS));
      try (Snapshot snapshot = store.open(List.of("w"))) {
        assertCounting(snapshot, Box.whole(ROWS, COLUMNS));
        assertEquals(device.reads(), 2);
        assertCounting(snapshot, Box.between(new long[] {3, 0}, new long[] {5, COLUMNS}));
        assertEquals(device.reads(), 3);
        assertCounting(snapshot, Box.between(new long[] {1, 0}, new long[] {9, COLUMNS / 2}));
        assertEquals(device.reads(), 11);
        assertCounting(snapshot, Box.between(new long[] {1, 5}, new long[] {9, COLUMNS / 2}));
        assertEquals(device.reads(), 11, "shorter runs are asked for");
      }
      assertEquals(device.ways(), 1);
      assertEquals(device.exposed(), 1, "what is there for others, too, stays exposed");
    }
  }

  private static void assertCounting(Snapshot snapshot, Box part) {
    float[] got = Tensors.elements(snapshot.get("w", part));
    long width = part.length(1);
    assertEquals(got.length, part.elements());
    for (int index = 0; index < got.length; index++) {
      long row = part.from(0) + index / width;
      long column = part.from(1) + index % width;
      if ((long) got[index] != row * COLUMNS + column) {
        throw new AssertionError(part + " has " + got[index] + " at " + index);
      }
    }
  }

  @DataProvider
  public static Object[][] sides() {
    return new Object[][] {{true, false}, {false, true}, {false, false}};
  }

  @Test(timeOut = 120_000, dataProvider = "sides")
  public void shouldAskWhereOneSideHasNoDevice(boolean there, boolean here) {
    VolumeOptions options = there ? forFour().withReads(device) : forFour();
    try (OneSidedVolume other = new OneSidedVolume(options, device);
        TensorStore store = here ? other.store() : other.plain();
        TensorStore others = other.plain()) {
      Tensors.put(others, Tensors.constant(7, ELEMENTS));
      assertConstant(store, 7);
      assertConstant(store, 7);
    }
    assertEquals(device.reads(), 0);
    assertEquals(device.ways(), 0);
  }

  @Test(timeOut = 120_000)
  public void shouldExposeATensorForAsLongAsItHasItsRoom() {
    try (TensorStore store = volume.store();
        TensorStore other = volume.store()) {
      put(Tensors.constant(1, ELEMENTS));
      Snapshot first = store.open(List.of("w"));
      assertConstant(first.get("w"), 1);
      assertConstant(other, 1);
      assertEquals(device.exposed(), 1, "both read the same");
      put(Tensors.constant(2, ELEMENTS));
      assertConstant(first.get("w"), 1);
      assertConstant(other, 2);
      assertEquals(device.exposed(), 2);
      first.close();
      assertEquals(other.figures().clients(), 3); // whose snapshots it has given back
      assertEquals(store.figures().leases(), 0);
      assertEquals(device.exposed(), 1, "nobody can see the first any more");
      assertEquals(other.delete(List.of("w")), 1);
      assertEquals(device.exposed(), 0);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldMakeANewWayForOneThatBreaksButNotForEver() {
    try (TensorStore store = volume.store()) {
      put(Tensors.constant(3, ELEMENTS));
      assertConstant(store, 3);
      device.breakNext(1);
      assertConstant(store, 3);
      assertConstant(store, 3);
      assertEquals(device.reads(), 4, "the second came over the connection");
      assertEquals(device.ways(), 2);
      device.breakNext(Integer.MAX_VALUE);
      for (int get = 0; get < 6; get++) {
        assertConstant(store, 3);
      }
      assertEquals(device.ways(), 4);
      device.breakNext(0);
      assertConstant(store, 3);
      assertEquals(device.reads(), 4, "it has given up");
    }
  }

  /** Each snapshot that is taken back breaks the way, and says nothing of it. */
  @Test(timeOut = 120_000)
  public void shouldReadOnHoweverMuchIsWithdrawn() {
    try (TensorStore store = volume.store()) {
      put(Tensors.counting(0, ROWS, COLUMNS));
      for (int round = 1; round <= VolumeReads.REFUSALS; round++) {
        device.refuseNext(1);
        assertRows(store, 2);
        assertEquals(device.reads(), round, "the first came over the connection");
      }
      device.refuseNext(VolumeReads.REFUSALS - 1);
      assertRows(store, VolumeReads.REFUSALS);
      assertEquals(device.reads(), VolumeReads.REFUSALS + 1);
      int ways = device.ways();
      device.refuseNext(Integer.MAX_VALUE);
      assertRows(store, VolumeReads.REFUSALS + 2);
      assertEquals(device.ways(), ways + VolumeReads.REFUSALS - 1, "it refuses all");
    }
  }

  private static void assertRows(TensorStore store, int gets) {
    Box row = Box.between(new long[] {1, 0}, new long[] {2, COLUMNS});
    for (int get = 0; get < gets; get++) {
      float[] elements = Tensors.elements(store.get("w", row));
      assertEquals(elements.length, COLUMNS);
      assertEquals(elements[COLUMNS - 1], 2f * COLUMNS - 1);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldAskForNothingWhereThereIsNothing() {
    try (TensorStore store = volume.store()) {
      put(HostTensor.allocate(DataType.F32, 0, COLUMNS));
      try (Snapshot snapshot = store.open(List.of("w"))) {
        for (int get = 0; get < 2; get++) {
          Box half = Box.between(new long[] {0, 0}, new long[] {0, COLUMNS / 2});
          assertEquals(Tensors.elements(snapshot.get("w", half)).length, 0);
          assertEquals(Tensors.elements(snapshot.get("w")).length, 0);
        }
      }
      assertEquals(device.ways() + device.exposed(), 0);
    }
  }

  /** Whatever a client asks for: it keeps its connection. */
  @Test(timeOut = 120_000)
  public void shouldExposeNothingThatHasNoBytes() throws IOException {
    try (RawClient client = volume.raw()) {
      put(HostTensor.allocate(DataType.F32, 0, COLUMNS));
      Reply leased = client.ask(new VolumeRequest.OpenTensors(ImmutableList.of("w")));
      long lease = ((Reply.Leased) leased).lease();
      for (int asked = 0; asked < 2; asked++) {
        Reply refused = client.ask(new VolumeRequest.Expose(lease, 0));
        assertTrue(refused.toString().contains("it has no bytes"), refused.toString());
      }
      assertEquals(device.exposed(), 0);
    }
  }

  /**
   * The holder takes its memory back and writes to it, while a reader has half of what was there.
   */
  @Test(timeOut = 120_000)
  public void shouldGiveNoByteThatWasWrittenLater() {
    VolumeOptions forOne = new VolumeOptions((long) ELEMENTS * Float.BYTES, 1, LONG);
    try (OneSidedVolume trainer = new OneSidedVolume(forOne.withReads(device), device);
        TensorHolders reader = trainer.holders()) {
      Holding holding = trainer.volume().hold("policy", new HolderRank("run 1", 1, 0));
      show(holding, 1);
      try (HeldSnapshot first = reader.await("policy", 0, LONG)) {
        assertConstant(first.get("w"), 1);
        int before = device.reads();
        device.inTheMiddle(
            () -> {
              device.inTheMiddle(() -> {});
              holding.withdraw();
              assertEquals(device.exposed(), 0, "its room is free");
              show(holding, 2);
            });
        AbortedException refused = expectThrows(AbortedException.class, () -> first.get("w"));
        assertTrue(refused.getMessage().contains("version 1"), refused.getMessage());
        assertEquals(device.reads(), before);
      }
      try (HeldSnapshot second = reader.await("policy", 1, LONG)) {
        assertConstant(second.get("w"), 2);
      }
      assertEquals(device.reads(), 4);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldVoidWhatAVolumeHasExposedWhenItEnds() {
    try (TensorStore store = volume.store()) {
      put(Tensors.constant(1, ELEMENTS));
      Snapshot snapshot = store.open(List.of("w"));
      assertConstant(snapshot.get("w"), 1);
      volume.close();
      assertEquals(device.exposed(), 0);
      expectThrows(PeerFailedException.class, () -> snapshot.get("w"));
    }
  }

  @Test(timeOut = 120_000)
  public void shouldGiveUpAReadWhenItsStoreIsClosed() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    TensorStore store = volume.store();
    put(Tensors.constant(1, ELEMENTS));
    device.inTheMiddle(
        () -> {
          reading.countDown();
          device.awaitAbort();
        });
    CompletableFuture<HostTensor> getting = CompletableFuture.supplyAsync(() -> store.get("w"));
    assertTrue(reading.await(60, TimeUnit.SECONDS), "nobody reads");
    store.close();
    CompletionException failed =
        expectThrows(
            CompletionException.class, () -> getting.orTimeout(60, TimeUnit.SECONDS).join());
    assertTrue(failed.getCause() instanceof TomboloException, failed.toString());
    assertEquals(device.reads(), 0);
  }

  private static void show(Holding holding, int version) {
    Tensors.show(holding, version, ELEMENTS, LONG);
  }

  private static void assertConstant(TensorStore store, float value) {
    assertConstant(store.get("w"), value);
  }

  private static void assertConstant(HostTensor tensor, float value) {
    Tensors.assertConstant(tensor, ELEMENTS, value);
  }
}
