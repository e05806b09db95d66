// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.JointListing;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.LayoutSpec;
import io.tombolo.tensors.layout.TensorLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** State dicts that several processes write together: here, several clients. */
public class JointPutTest {
  private static final int CAPACITY = 1 << 20;
  private static final Duration LONG = Duration.ofSeconds(60);

  private final JobToken token = JobToken.random();
  private final List<TensorStore> stores = new ArrayList<>();
  private Volume volume;
  private ExecutorService threads;

  @BeforeMethod
  public void start() {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    volume = Volume.serve(anyPort, token, new VolumeOptions(CAPACITY, 2, LONG));
    threads = Executors.newCachedThreadPool();
  }

  @AfterMethod(alwaysRun = true)
  public void stop() {
    threads.shutdownNow();
    stores.forEach(TensorStore::close);
    stores.clear();
    volume.close();
  }

  /** How the two writers of a test move bytes. */
  @DataProvider
  Object[][] paths() {
    return new Object[][] {{true, true}, {false, false}, {true, false}};
  }

  private TensorStore connect(boolean sharesMemory) {
    TensorStore store =
        TensorStore.connect(volume.address(), token, new StoreOptions(LONG, sharesMemory));
    stores.add(store);
    return store;
  }

  private Future<Long> put(
      TensorStore store, int writer, int writers, Map<String, TensorPart> parts) {
    JointWriter who = new JointWriter("step 1", writers, writer, LONG);
    return threads.submit(() -> store.putStateDictPart("policy", who, parts));
  }

  private static long version(Future<Long> put) throws Exception {
    return put.get(60, TimeUnit.SECONDS);
  }

  private static <T extends TomboloException> T failure(Class<T> type, Future<Long> put) {
    ExecutionException failed =
        expectThrows(ExecutionException.class, () -> put.get(60, TimeUnit.SECONDS));
    assertEquals(failed.getCause().getClass(), type, String.valueOf(failed.getCause()));
    return type.cast(failed.getCause());
  }

  private static void says(TomboloException error, String... words) {
    for (String each : words) {
      assertTrue(error.getMessage().contains(each), error.getMessage());
    }
  }

  /** Nothing of a version that has failed is there once its writers have been told. */
  private void checkNothingLeft() {
    VolumeFigures now = connect(true).figures();
    assertEquals(now.puts() + now.leases() + now.versions(), 0, now.toString());
    assertEquals(now.freeBytes(), now.capacityBytes(), now.toString());
    assertEquals(stores.get(0).unfinished(), List.of());
  }

  private static TensorLayout layout(String spec) {
    return LayoutSpec.parse(spec).layout(new long[0], true);
  }

  private static int checksum(HostTensor tensor) {
    int size = (int) tensor.spec().sizeBytes();
    CRC32C crc = new CRC32C();
    crc.update(NativeMemory.viewOf(tensor.address(0, size), size));
    return (int) crc.getValue();
  }

  private static TensorPart rows(int first, int from, int to, int columns, int rows) {
    return new TensorPart(
        TensorSpec.of(DataType.F32, rows, columns),
        Box.between(new long[] {from, 0}, new long[] {to, columns}),
        Tensors.counting(first, to - from, columns));
  }

  /** It is found before a byte of the part moves; the sums are of parts, not of the whole. */
  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldFailForAllIfAPartHasNotTheChecksumThatItIsTold(boolean first, boolean second)
      throws Exception {
    TensorStore store = connect(first);
    TensorStore beside = connect(second);
    TensorPart upper = rows(0, 0, 3, 4, 8);
    Map<String, TensorPart> lower = Map.of("w", rows(12, 3, 8, 4, 8));
    int right = checksum(upper.held());
    Future<Long> one = putSummed(store, "step 1", upper, right + 1);
    says(failure(PeerFailedException.class, put(beside, 1, 2, lower)), "'w'");
    says(failure(CorruptException.class, one), "'w'", "%08x".formatted(right));
    checkNothingLeft();
    Future<Long> again = putSummed(store, "step 2", upper, right);
    JointWriter who = new JointWriter("step 2", 2, 1, LONG);
    assertEquals(beside.putStateDictPart("policy", who, lower), 1);
    assertEquals(version(again), 1);
    try (Snapshot policy = store.openStateDict("policy")) {
      policy.verify("w");
    }
  }

  private Future<Long> putSummed(TensorStore store, String round, TensorPart part, int checksum) {
    JointWriter who = new JointWriter(round, 2, 0, LONG);
    return threads.submit(
        () -> store.putStateDictPart("policy", who, Map.of("w", part), Map.of("w", checksum)));
  }

  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldShowOneVersionWhenAllHaveWritten(boolean first, boolean second)
      throws Exception {
    TensorPart scalar = TensorPart.whole(Tensors.constant(7));
    Future<Long> one = put(connect(first), 0, 2, Map.of("w", rows(0, 0, 3, 4, 8), "b", scalar));
    TensorStore reader = connect(true);
    awaitWriters(reader, 1);
    assertThrows(UsageException.class, () -> reader.openStateDict("policy"));
    Future<Long> other = put(connect(second), 1, 2, Map.of("w", rows(12, 3, 8, 4, 8)));
    assertEquals(version(one), 1);
    assertEquals(version(other), 1);
    try (Snapshot policy = reader.openStateDict("policy")) {
      assertEquals(policy.names().size(), 2);
      policy.verify("w");
      policy.verify("b");
      assertEquals(Tensors.elements(policy.get("w")), Tensors.elements(Tensors.counting(0, 8, 4)));
      assertEquals(Tensors.elements(policy.get("b")), new float[] {7});
    }
    assertEquals(reader.unfinished(), List.of());
    assertEquals(reader.figures().puts(), 0);
  }

  private static void awaitWriters(TensorStore store, int missing) {
    Deadline deadline = Deadline.after(LONG);
    List<JointListing> now = store.unfinished();
    while (now.isEmpty() || now.get(0).missing().size() != missing) {
      assertTrue(!deadline.isExpired(), now.toString());
      now = store.unfinished();
    }
    assertEquals(now.get(0).stateDict(), "policy");
    assertEquals(now.get(0).round(), "step 1");
    assertEquals(now.get(0).writing(), false);
  }

  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldNameWhatNobodyHasOfATensor(boolean first, boolean second) {
    Future<Long> one = put(connect(first), 0, 2, Map.of("w", rows(0, 0, 3, 4, 8)));
    Future<Long> other = put(connect(second), 1, 2, Map.of("w", rows(0, 4, 8, 4, 8)));
    for (Future<Long> each : List.of(one, other)) {
      says(
          failure(MismatchException.class, each),
          "nobody has [3:4, 0:4] of 'w'",
          "f32[8, 4]",
          "writer 0 of 2",
          "writer 1 of 2",
          "'step 1'",
          "'policy'");
    }
    checkNothingLeft();
  }

  @Test(timeOut = 120_000)
  public void shouldNameBothSidesThatDoNotAgreeWhatATensorIs() {
    HostTensor halves = HostTensor.allocate(DataType.F16, 8, 4);
    Future<Long> one = put(connect(true), 0, 2, Map.of("w", rows(0, 0, 8, 4, 8)));
    Future<Long> other = put(connect(true), 1, 2, Map.of("w", TensorPart.whole(halves)));
    for (Future<Long> each : List.of(one, other)) {
      says(
          failure(MismatchException.class, each),
          "'w' is f32[8, 4] to writer 0 of 2",
          "but f16[8, 4] to writer 1 of 2");
    }
    checkNothingLeft();
  }

  @Test(timeOut = 120_000)
  public void shouldNameBothSidesThatDoNotAgreeHowManyTheyAre() {
    TensorStore first = connect(true);
    Future<Long> one = put(first, 0, 2, Map.of("w", rows(0, 0, 8, 4, 8)));
    awaitWriters(connect(true), 1);
    Future<Long> other = put(connect(true), 1, 3, Map.of("w", rows(0, 0, 8, 4, 8)));
    for (Future<Long> each : List.of(one, other)) {
      says(failure(MismatchException.class, each), "writer 0 of 2", "writer 1 of 3", "how many");
    }
    checkNothingLeft();
  }

  @Test(timeOut = 120_000)
  public void shouldNameTwoThatSayTheyAreTheSameWriter() {
    Future<Long> one = put(connect(true), 0, 2, Map.of("w", rows(0, 0, 8, 4, 8)));
    Future<Long> other = put(connect(true), 0, 2, Map.of("w", rows(0, 0, 8, 4, 8)));
    for (Future<Long> each : List.of(one, other)) {
      says(failure(MismatchException.class, each), "writer 0 of 2", "two with one number");
    }
    checkNothingLeft();
  }

  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldRefuseAllWritersIfTheWholeDoesNotFit(boolean first, boolean second) {
    TensorSpec whole = TensorSpec.of(DataType.U8, 2 * CAPACITY);
    Box none = Box.whole(0);
    Future<Long> one =
        put(
            connect(first),
            0,
            2,
            Map.of("w", new TensorPart(whole, none, HostTensor.allocate(DataType.U8, 0))));
    HostTensor all = HostTensor.allocate(whole);
    Future<Long> other = put(connect(second), 1, 2, Map.of("w", TensorPart.whole(all)));
    for (Future<Long> each : List.of(one, other)) {
      says(failure(ResourceException.class, each), "no room for 'w'", "2097152 bytes");
    }
    checkNothingLeft();
    all.memory().close();
  }

  @Test(timeOut = 120_000)
  public void shouldGiveUpAtTheDeadlineAndTellThoseWhoAreLate() throws Exception {
    TensorStore first = connect(true);
    JointWriter hasty = new JointWriter("step 1", 3, 1, Duration.ofMillis(50));
    Future<Long> patient = put(connect(false), 0, 3, Map.of("w", rows(0, 0, 8, 4, 8)));
    awaitWriters(connect(true), 2);
    DeadlineExceededException late =
        expectThrows(
            DeadlineExceededException.class,
            () -> first.putStateDictPart("policy", hasty, Map.of("w", rows(0, 0, 8, 4, 8))));
    says(late, "writers [2] of 3 have not come within 50 ms", "round 'step 1'", "'policy'");
    says(failure(PeerFailedException.class, patient), "writer 1 of 3", "gave up", "writers [2]");
    Future<Long> tardy = put(connect(true), 2, 3, Map.of("w", rows(0, 0, 8, 4, 8)));
    says(failure(PeerFailedException.class, tardy), "writer 1 of 3", "another round");
    checkNothingLeft();
    JointWriter again = new JointWriter("step 1, again", 1, 0, LONG);
    assertEquals(first.putStateDictPart("policy", again, Map.of("w", rows(0, 0, 8, 4, 8))), 1);
  }

  @Test(timeOut = 120_000)
  public void shouldForgetAFailureOnceItsWritersWouldWaitNoMore() throws Exception {
    TensorStore store = connect(true);
    Map<String, TensorPart> parts = Map.of("w", rows(0, 0, 8, 4, 8));
    JointWriter alone = new JointWriter("step 1", 2, 0, Duration.ofMillis(20));
    assertThrows(
        DeadlineExceededException.class, () -> store.putStateDictPart("policy", alone, parts));
    Deadline deadline = Deadline.after(LONG);
    JointWriter next = new JointWriter("step 1", 1, 0, LONG);
    while (true) {
      try {
        assertEquals(store.putStateDictPart("policy", next, parts), 1);
        return;
      } catch (PeerFailedException e) {
        assertTrue(!deadline.isExpired(), e.toString());
      }
    }
  }

  @Test(timeOut = 120_000)
  public void shouldFailForAllIfAWriterCannotReadItsPart() {
    TensorPart closed = rows(0, 4, 8, 4, 8);
    closed.held().memory().close();
    Future<Long> one = put(connect(true), 0, 2, Map.of("w", rows(0, 0, 4, 4, 8)));
    Future<Long> other = put(connect(false), 1, 2, Map.of("w", closed));
    assertThrows(ExecutionException.class, () -> other.get(60, TimeUnit.SECONDS));
    says(failure(PeerFailedException.class, one), "writer 1 of 2", "gave up");
    checkNothingLeft();
  }

  @Test(timeOut = 120_000)
  public void shouldNumberVersionsInTheSameRowAsThoseOfOneWriter() throws Exception {
    TensorStore store = connect(true);
    TensorLayout halves = layout("8x4/S1:2");
    store.putStateDict("policy", Map.of("w", Tensors.constant(0, 8, 4)));
    for (int version = 2; version < 5; version++) {
      Future<Long> one = put(store, 0, 2, half(halves, 0, version));
      Future<Long> other = put(connect(false), 1, 2, half(halves, 1, version));
      assertEquals(version(one), version);
      assertEquals(version(other), version);
    }
    assertEquals(Tensors.elements(store.openStateDict("policy").get("w"))[31], 4f);
    assertEquals(store.figures().versions(), 2);
  }

  /** Rows that are gathered before they are sent, and more of them than are gathered at once. */
  @Test(dataProvider = "paths", timeOut = 120_000)
  public void shouldPutHalvesOfManyRowsTogether(boolean first, boolean second) throws Exception {
    TensorLayout halves = layout("100x2000/S1:2");
    float[] whole = Tensors.elements(Tensors.counting(0, 100, 2_000));
    List<Future<Long>> puts = new ArrayList<>();
    for (int writer = 0; writer < 2; writer++) {
      HostTensor half = HostTensor.allocate(DataType.F32, 100, 1_000);
      FloatBuffer elements = half.memory().view(0, 400_000).asFloatBuffer();
      for (int row = 0; row < 100; row++) {
        elements.put(whole, 2_000 * row + 1_000 * writer, 1_000);
      }
      TensorStore store = connect(writer == 0 ? first : second);
      puts.add(put(store, writer, 2, Map.of("w", TensorPart.of(halves, writer, half))));
    }
    assertEquals(version(puts.get(0)), 1);
    try (Snapshot policy = connect(true).openStateDict("policy")) {
      policy.verify("w");
      assertEquals(Tensors.elements(policy.get("w")), whole);
    }
  }

  private static Map<String, TensorPart> half(TensorLayout layout, int rank, int value) {
    return Map.of("w", TensorPart.of(layout, rank, Tensors.constant(value, 8, 2)));
  }
}
