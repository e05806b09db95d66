// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.cast.Cast;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.value.WantedPart;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.tensors.layout.Box;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class TensorStoreTest {
  private static final int CAPACITY = 1 << 20;
  private static final Duration LONG = Duration.ofSeconds(60);

  private final JobToken token = JobToken.random();
  private Volume volume;

  @BeforeMethod
  public void start() {
    volume =
        Volume.serve(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            token,
            new VolumeOptions(CAPACITY, 2, LONG));
  }

  @AfterMethod(alwaysRun = true)
  public void stop() {
    volume.close();
  }

  @DataProvider
  Object[][] paths() {
    StoreOptions shared = StoreOptions.defaults().withTimeout(LONG);
    return new Object[][] {{shared}, {shared.withoutSharedMemory()}};
  }

  private TensorStore connect(StoreOptions options) {
    TensorStore store = TensorStore.connect(volume.address(), token, options);
    assertEquals(store.sharesMemory(), options.sharesMemory());
    return store;
  }

  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldGiveBackWhatWasPut(StoreOptions options) {
    try (TensorStore writer = connect(options);
        TensorStore reader = connect(options)) {
      writer.put("a/w", Tensors.counting(5, 3, 4));
      HostTensor copy = reader.get("a/w");
      assertEquals(copy.spec(), TensorSpec.of(DataType.F32, 3, 4));
      assertEquals(Tensors.elements(copy), Tensors.elements(Tensors.counting(5, 3, 4)));
      writer.put("a/w", Tensors.constant(1, 2));
      assertEquals(Tensors.elements(reader.get("a/w")), new float[] {1, 1});
    }
  }

  @Test(timeOut = 120_000)
  public void shouldCommitWhatWasCopiedToItsPlaceInSharedMemory() {
    try (TensorStore store = connect(StoreOptions.defaults().withTimeout(LONG))) {
      HostTensor values = Tensors.counting(3, 5);
      Map<String, TensorSpec> specs = Map.of("w", values.spec());
      OpenPut put = store.begin("policy", specs);
      NativeMemory.copy(put.address("w"), values.address(0, 20), 20);
      assertThrows(UsageException.class, () -> put.address("v"));
      assertThrows(UsageException.class, store::close);
      assertEquals(put.commit(), 1);
      assertThrows(UsageException.class, put::commit);
      try (OpenPut givenUp = store.begin("policy", specs)) {
        NativeMemory.fill(givenUp.address("w"), (byte) 1, 20);
      }
      try (Snapshot snapshot = store.openStateDict("policy")) {
        assertEquals(snapshot.version(), 1);
        snapshot.verify("w");
        assertEquals(Tensors.elements(snapshot.get("w")), Tensors.elements(values));
        long address = snapshot.address("w").orElseThrow();
        assertEquals(NativeMemory.viewOf(address, 20).getFloat(4), 4f);
        snapshot.close();
        assertThrows(UsageException.class, () -> snapshot.address("w"));
      }
      assertEquals(store.figures().puts(), 0);
    }
  }

  /** Wrong ones are kept, so nobody has read the bytes for them; readers notice. */
  @Test(timeOut = 120_000)
  public void shouldCommitTheChecksumsThatItIsToldInsteadOfReading() {
    try (TensorStore store = connect(StoreOptions.defaults().withTimeout(LONG));
        TensorStore far =
            connect(StoreOptions.defaults().withTimeout(LONG).withoutSharedMemory())) {
      List<String> names = List.of("right", "untold", "wrong");
      TensorSpec spec = TensorSpec.of(DataType.U8, 5);
      OpenPut put = store.begin("", Maps.toMap(names, name -> spec));
      names.forEach(name -> NativeMemory.fill(put.address(name), (byte) 7, 5));
      CRC32C crc = new CRC32C();
      crc.update(new byte[] {7, 7, 7, 7, 7});
      int right = (int) crc.getValue();
      put.setChecksum("right", right);
      put.setChecksum("wrong", right + 1);
      assertThrows(UsageException.class, () -> put.setChecksum("other", right));
      put.commit();
      assertThrows(UsageException.class, () -> put.setChecksum("right", right));
      try (Snapshot snapshot = far.open(names)) {
        for (String name : List.of("right", "untold")) {
          assertEquals(snapshot.checksum(name), right, name);
          snapshot.verify(name);
          snapshot.get(name).memory().close();
        }
        assertEquals(snapshot.checksum("wrong"), right + 1);
        assertThrows(CorruptException.class, () -> snapshot.verify("wrong"));
        assertThrows(CorruptException.class, () -> snapshot.get("wrong"));
        HostTensor target = HostTensor.allocate(spec);
        List<WantedPart> all =
            names.stream().map(name -> new WantedPart(name, spec.whole(), target)).toList();
        CorruptException found =
            expectThrows(CorruptException.class, () -> snapshot.getAllInto(all));
        assertTrue(found.getMessage().contains("'wrong'"), found.getMessage());
        snapshot.getInto("untold", target); // nothing of the call before is on its way
        target.memory().close();
      }
    }
  }

  /** What has become another tensor on its way is not put, and leaves no room taken. */
  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldPutNothingThatHasNotTheChecksumsThatItIsTold(StoreOptions options) {
    try (TensorStore store = connect(options)) {
      Map<String, HostTensor> tensors =
          ImmutableMap.of("untold", Tensors.counting(1, 9), "told", Tensors.counting(3, 5));
      CRC32C crc = new CRC32C();
      HostTensor told = tensors.get("told");
      crc.update(NativeMemory.viewOf(told.address(0, 20), 20));
      int right = (int) crc.getValue();
      store.putBatch(tensors, Map.of("told", right));
      assertEquals(store.putStateDict("policy", tensors, Map.of("told", right)), 1);
      long free = store.figures().freeBytes();
      CorruptException wrong =
          expectThrows(
              CorruptException.class,
              () -> store.putStateDict("policy", tensors, Map.of("told", right + 1)));
      assertTrue(wrong.getMessage().contains("'told'"), wrong.getMessage());
      assertThrows(UsageException.class, () -> store.putBatch(tensors, Map.of("other", right)));
      assertEquals(store.figures().puts(), 0);
      assertEquals(store.figures().freeBytes(), free);
      try (Snapshot snapshot = store.openStateDict("policy")) {
        assertEquals(snapshot.version(), 1);
        assertEquals(snapshot.checksum("told"), right);
        snapshot.verify("told");
        snapshot.verify("untold");
      }
    }
  }

  @Test(timeOut = 120_000)
  public void shouldHaveNoRoomToFillWithoutSharedMemory() {
    try (TensorStore store = connect(StoreOptions.defaults().withoutSharedMemory())) {
      TensorSpec spec = TensorSpec.of(DataType.F32, 1);
      assertThrows(UnsupportedException.class, () -> store.begin("", Map.of("w", spec)));
      store.put("w", Tensors.constant(1, 1));
      try (Snapshot snapshot = store.open(List.of("w"))) {
        assertTrue(snapshot.address("w").isEmpty());
      }
    }
  }

  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldGiveAnySliceIntoGivenMemory(StoreOptions options) {
    try (TensorStore store = connect(options)) {
      store.put("w", Tensors.counting(0, 4, 5, 6));
      Box box = Box.between(new long[] {1, 2, 3}, new long[] {3, 4, 5});
      float[] expected = {45, 46, 51, 52, 75, 76, 81, 82};
      assertEquals(Tensors.elements(store.get("w", box)), expected);
      HostTensor large = Tensors.constant(-1, 10);
      HostTensor middle =
          new HostTensor(TensorSpec.of(DataType.F32, 2, 2, 2), large.memory(), Float.BYTES);
      try (Snapshot snapshot = store.open(List.of("w"))) {
        snapshot.getInto("w", box, middle);
        assertThrows(UsageException.class, () -> snapshot.getInto("w", middle));
        assertThrows(UsageException.class, () -> snapshot.get("w", Box.whole(4, 5, 7)));
        assertThrows(UsageException.class, () -> snapshot.get("w", Box.whole(4)));
      }
      float[] around = {-1, 45, 46, 51, 52, 75, 76, 81, 82, -1};
      assertEquals(Tensors.elements(large), around);
      Box none = Box.between(new long[] {1, 1, 1}, new long[] {1, 1, 1});
      assertEquals(Tensors.elements(store.get("w", none)), new float[0]);
    }
  }

  /** More than are asked for at a time, of nothing to many runs, and each twice. */
  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldGetManyPartsInOneCall(StoreOptions options) {
    try (TensorStore store = connect(options)) {
      Map<String, HostTensor> tensors = new LinkedHashMap<>();
      for (int first = 0; first < 3 * PartStream.AHEAD; first++) {
        tensors.put("w" + first, Tensors.counting(first, first % 4, 7));
      }
      tensors.put("long", Tensors.counting(3, 5, 7_000));
      store.putStateDict("policy", tensors);
      List<WantedPart> wanted = new ArrayList<>();
      tensors.forEach(
          (name, tensor) -> {
            Box whole = tensor.spec().whole();
            for (Box part : List.of(whole, whole.cut(1, 2, 6))) {
              HostTensor target = HostTensor.allocate(tensor.spec().part(part));
              wanted.add(new WantedPart(name, part, target));
            }
          });
      try (Snapshot snapshot = store.openStateDict("policy")) {
        snapshot.getAllInto(List.of());
        snapshot.getAllInto(wanted);
        HostTensor other = Tensors.constant(0, 1);
        WantedPart unfit = new WantedPart("long", Box.whole(5, 7_000), other);
        assertThrows(UsageException.class, () -> snapshot.getAllInto(List.of(unfit)));
        other.memory().close();
      }
      for (WantedPart each : wanted) {
        HostTensor put = tensors.get(each.name());
        byte[] expected = Layouts.part(Layouts.bytes(put), put.spec(), each.part());
        assertEquals(Layouts.bytes(each.target()), expected, each.toString());
        each.target().memory().close();
      }
      tensors.values().forEach(put -> put.memory().close());
    }
  }

  /** Runs longer and shorter than what a volume sends at once, and more than it gathers. */
  @Test(timeOut = 120_000)
  public void shouldGiveTheSameSlicesOverTheConnectionAsFromSharedMemory() {
    List<Box> boxes =
        List.of(
            Box.whole(400, 600),
            Box.whole(400, 600).cut(1, 7, 8),
            Box.whole(400, 600).cut(1, 10, 590),
            Box.whole(400, 600).cut(0, 3, 399));
    StoreOptions options = StoreOptions.defaults().withTimeout(LONG);
    try (TensorStore shared = connect(options);
        TensorStore remote = connect(options.withoutSharedMemory())) {
      remote.put("w", Tensors.counting(0, 400, 600));
      for (Box box : boxes) {
        float[] expected = Tensors.elements(shared.get("w", box));
        assertEquals(expected[0], box.from(0) * 600f + box.from(1));
        assertEquals(Tensors.elements(remote.get("w", box)), expected);
      }
    }
  }

  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldKeepScalarsAndTensorsOfNothing(StoreOptions options) {
    try (TensorStore store = connect(options)) {
      store.putBatch(Map.of("scalar", Tensors.constant(3), "empty", Tensors.constant(3, 2, 0, 5)));
      assertEquals(Tensors.elements(store.get("scalar")), new float[] {3});
      HostTensor empty = store.get("empty");
      assertEquals(empty.spec().shape(), List.of(2L, 0L, 5L));
      empty.memory().close();
    }
  }

  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldListAndForgetTensors(StoreOptions options) {
    try (TensorStore store = connect(options)) {
      for (int index = 0; index < 1_100; index++) {
        store.put("n/" + index, Tensors.constant(index));
      }
      store.put("m", Tensors.constant(0));
      assertEquals(store.keys("n/").size(), 1_100);
      assertEquals(
          store.keys("n/109"),
          List.of(
              "n/109", "n/1090", "n/1091", "n/1092", "n/1093", "n/1094", "n/1095", "n/1096",
              "n/1097", "n/1098", "n/1099"));
      assertTrue(store.exists("m"));
      assertFalse(store.exists("n/"));
      assertEquals(store.delete(List.of("m", "no such")), 1);
      assertFalse(store.exists("m"));
      UsageException error = expectThrows(UsageException.class, () -> store.get("m"));
      assertTrue(error.getMessage().contains("'m'"), error.getMessage());
    }
  }

  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldRefuseWhatDoesNotFitAndKeepTheRest(StoreOptions options) {
    try (TensorStore store = connect(options)) {
      store.put("there", Tensors.constant(1, 10));
      long free = store.figures().freeBytes();
      HostTensor half = HostTensor.allocate(DataType.U8, CAPACITY / 2);
      ResourceException error =
          expectThrows(ResourceException.class, () -> store.putBatch(Map.of("a", half, "b", half)));
      assertTrue(error.getMessage().contains("1048576 bytes"), error.getMessage());
      assertTrue(error.getMessage().contains(free + " are free"), error.getMessage());
      assertEquals(store.figures().freeBytes(), free);
      assertEquals(store.keys(""), List.of("there"));
      assertEquals(Tensors.elements(store.get("there"))[9], 1f);
      half.memory().close();
    }
  }

  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldNotDisturbReadersOfAVersion(StoreOptions options) {
    try (TensorStore writer = connect(options);
        TensorStore reader = connect(options)) {
      assertEquals(writer.putStateDict("policy", dict(1)), 1);
      try (Snapshot first = reader.openStateDict("policy")) {
        for (int version = 2; version <= 6; version++) {
          assertEquals(writer.putStateDict("policy", dict(version)), version);
        }
        assertEquals(first.version(), 1);
        assertEquals(Tensors.elements(first.get("w"))[99], 1f);
        first.verify("w");
        try (Snapshot newest = reader.openStateDict("policy")) {
          assertEquals(newest.version(), 6);
          assertEquals(Tensors.elements(newest.get("w"))[99], 6f);
        }
        assertEquals(writer.stateDicts("").get(0).oldest(), 5);
        assertEquals(writer.figures().versions(), 2);
      }
      VolumeFigures figures = reader.figures();
      assertEquals(figures.leases(), 0);
      assertEquals(figures.capacityBytes() - figures.freeBytes(), 2 * (4_000 + 32 + 64));
    }
  }

  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldOpenTheVersionsThatAreKeptByTheirNumbers(StoreOptions options) {
    try (TensorStore store = connect(options)) {
      for (int version = 1; version <= 4; version++) {
        store.putStateDict("policy", dict(version));
      }
      for (int version = 3; version <= 4; version++) {
        try (Snapshot kept = store.openStateDict("policy", version)) {
          assertEquals(kept.version(), version);
          assertEquals(Tensors.elements(kept.get("w"))[99], (float) version);
        }
      }
      Snapshot oldest = store.openStateDict("policy", 3);
      store.putStateDict("policy", dict(5));
      assertEquals(Tensors.elements(oldest.get("w"))[99], 3f);
      oldest.close();
      for (long gone : new long[] {3, 6}) {
        UsageException error =
            expectThrows(UsageException.class, () -> store.openStateDict("policy", gone));
        assertTrue(error.getMessage().contains("versions 4 to 5"), error.getMessage());
      }
      expectThrows(UsageException.class, () -> store.openStateDict("nobody", 1));
      assertEquals(store.figures().leases(), 0);
    }
  }

  /** As Python's {@code -1} for the last: an error of the call, and not the connection's end. */
  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldStayConnectedWhenAVersionsNumberMakesNoSense(StoreOptions options) {
    try (TensorStore store = connect(options)) {
      store.putStateDict("policy", dict(1));
      try (Snapshot before = store.openStateDict("policy")) {
        for (long never : new long[] {0, -1, Long.MIN_VALUE}) {
          UsageException error =
              expectThrows(UsageException.class, () -> store.openStateDict("policy", never));
          assertTrue(error.getMessage().contains("from 1 on"), error.getMessage());
        }
        store.awaitStateDict("policy", -1, Duration.ofSeconds(60)).close();
        assertEquals(Tensors.elements(before.get("w"))[99], 1f);
      }
    }
  }

  private static Map<String, HostTensor> dict(int version) {
    return Map.of("w", Tensors.constant(version, 10, 100), "b", Tensors.constant(version));
  }

  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldWakeAReaderThatWaitsForANewerVersion(StoreOptions options) throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (TensorStore writer = connect(options);
        TensorStore reader = connect(options)) {
      assertThrows(UsageException.class, () -> reader.openStateDict("policy"));
      CompletableFuture<Float> found =
          CompletableFuture.supplyAsync(
              () -> {
                try (Snapshot snapshot = reader.awaitStateDict("policy", 1, LONG)) {
                  return Tensors.elements(snapshot.get("b"))[0] + 10 * snapshot.version();
                }
              },
              other);
      writer.putStateDict("policy", dict(1));
      writer.putStateDict("else", dict(8));
      assertFalse(found.isDone());
      writer.putStateDict("policy", dict(2));
      assertEquals(found.get(60, TimeUnit.SECONDS), 22f);
    } finally {
      other.shutdownNow();
    }
  }

  @Test(timeOut = 120_000)
  public void shouldStopWaitingForANewerVersionAtTheDeadline() {
    try (TensorStore store = connect(StoreOptions.defaults().withTimeout(LONG))) {
      store.putStateDict("policy", dict(1));
      DeadlineExceededException error =
          expectThrows(
              DeadlineExceededException.class,
              () -> store.awaitStateDict("policy", 1, Duration.ofMillis(30)));
      assertTrue(error.getMessage().contains("newer than 1 after 30 ms"), error.getMessage());
      assertTrue(error.advice().communicatorUsable());
      assertEquals(store.openStateDict("policy").version(), 1);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldNumberVersionsOnWhenAStateDictWasDropped() {
    try (TensorStore store = connect(StoreOptions.defaults().withTimeout(LONG))) {
      store.putStateDict("policy", dict(1));
      store.putStateDict("policy", dict(2));
      try (Snapshot kept = store.openStateDict("policy")) {
        assertEquals(store.dropStateDict("policy"), 2);
        assertEquals(store.dropStateDict("policy"), 0);
        assertEquals(store.putStateDict("policy", dict(3)), 3);
        assertEquals(Tensors.elements(kept.get("b"))[0], 2f);
      }
    }
  }

  @Test(timeOut = 120_000)
  public void shouldNoticeBytesThatHaveChangedInTheVolume() {
    StoreOptions options = StoreOptions.defaults().withTimeout(LONG);
    try (VolumeLink link = VolumeLink.open(volume.address(), token, LONG);
        VolumeMemory memory = VolumeMemory.of(link.welcome(), true);
        TensorStore store = connect(options);
        TensorStore remote = connect(options.withoutSharedMemory())) {
      store.put("w", Tensors.counting(0, 1000));
      assertEquals(Tensors.elements(remote.get("w")), Tensors.elements(Tensors.counting(0, 1000)));
      try (Snapshot snapshot = store.open(List.of("w"))) {
        snapshot.verify("w");
        memory.writable().orElseThrow().view(77, 1).put(0, (byte) 99);
        CorruptException error = expectThrows(CorruptException.class, () -> snapshot.verify("w"));
        assertTrue(error.getMessage().contains("'w'"), error.getMessage());
      }
      assertThrows(CorruptException.class, () -> remote.get("w"));
      assertEquals(remote.get("w", Box.whole(19)).spec(), TensorSpec.of(DataType.F32, 19));
    }
  }

  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldStayInStepWhenMemoryOfACallIsClosed(StoreOptions options) {
    try (TensorStore store = connect(options)) {
      store.put("w", Tensors.constant(1, 10));
      HostTensor open = Tensors.constant(2, 10);
      HostTensor closed = Tensors.constant(3, 10);
      closed.memory().close();
      Map<String, HostTensor> both = ImmutableMap.of("a", open, "b", closed);
      assertThrows(IllegalStateException.class, () -> store.putBatch(both));
      Cast cast = Cast.to(DataType.BF16);
      assertThrows(IllegalStateException.class, () -> store.putStateDict("policy", both, cast));
      assertThrows(IllegalStateException.class, () -> store.getInto("w", closed));
      assertFalse(store.exists("a"));
      assertEquals(store.figures().puts(), 0);
      assertEquals(store.figures().leases(), 0);
      assertEquals(Tensors.elements(store.get("w"))[9], 1f);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldEndAConnectionThatIsOutOfStep() {
    try (VolumeLink link = VolumeLink.open(volume.address(), token, LONG)) {
      IllegalStateException defect = new IllegalStateException("half way");
      IllegalStateException thrown =
          expectThrows(
              IllegalStateException.class,
              () ->
                  link.run(
                      "move bytes",
                      () ->
                          link.whole(
                              () -> {
                                throw defect;
                              })));
      assertSame(thrown, defect);
      PeerFailedException lost =
          expectThrows(
              PeerFailedException.class,
              () -> link.run("go on", () -> link.ask(new VolumeRequest.Stat())));
      assertTrue(lost.getMessage().contains("half way"), lost.getMessage());
    }
  }

  /** An answer may be so quick that nobody waits for it. */
  @Test(timeOut = 120_000)
  public void shouldAskForNothingMoreOnceAnotherThreadCloses() {
    try (VolumeLink link = VolumeLink.open(volume.address(), token, LONG)) {
      assertThrows(
          AbortedException.class,
          () ->
              link.run(
                  "give it up",
                  () -> {
                    CompletableFuture.runAsync(link::stop).join();
                    link.tell(new VolumeRequest.Stat());
                    return null;
                  }));
    }
  }

  @Test(timeOut = 120_000)
  public void shouldAskForTheSameToken() {
    MismatchException error =
        expectThrows(
            MismatchException.class,
            () ->
                TensorStore.connect(
                    volume.address(),
                    JobToken.random(),
                    StoreOptions.defaults().withTimeout(LONG)));
    assertTrue(error.getMessage().contains("TOMBOLO_TOKEN"), error.getMessage());
  }

  @Test(timeOut = 120_000)
  public void shouldSayWhatIsWrongWhenTheVolumeHasGone() {
    TensorStore store = connect(StoreOptions.defaults().withTimeout(LONG));
    store.put("w", Tensors.constant(1));
    volume.close();
    PeerFailedException lost = expectThrows(PeerFailedException.class, () -> store.get("w"));
    assertTrue(lost.getMessage().contains("is lost"), lost.getMessage());
    assertThrows(PeerFailedException.class, () -> store.put("w", Tensors.constant(1)));
    store.close();
    assertThrows(
        UnavailableException.class,
        () ->
            TensorStore.connect(
                volume.address(), token, StoreOptions.defaults().withTimeout(LONG)));
  }

  @Test(timeOut = 120_000)
  public void shouldEndAWaitWhenItIsClosed() throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    TensorStore store = connect(StoreOptions.defaults().withTimeout(LONG));
    try {
      CompletableFuture<Snapshot> waiting =
          CompletableFuture.supplyAsync(() -> store.awaitStateDict("policy", 0, LONG), other);
      store.close();
      assertThrows(Exception.class, () -> waiting.get(50, TimeUnit.SECONDS));
      assertTrue(waiting.isCompletedExceptionally());
    } finally {
      other.shutdownNow();
    }
  }
}
