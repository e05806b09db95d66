// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.PartSpec;
import io.tombolo.store.value.PlacedPut;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.WantedPart;
import io.tombolo.store.volume.Holding;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.TensorLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Readers of what several processes hold, in place of which there are volumes of this one. */
public class HolderTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(50);
  private static final int ROUNDS = Boolean.getBoolean("tombolo.deep") ? 1_000 : 40;
  private static final int HOLDERS = 3;
  private static final int ELEMENTS = 1 << 10;

  private final JobToken token = JobToken.random();
  private final List<Volume> volumes = new ArrayList<>();
  private final List<AutoCloseable> readers = new ArrayList<>();

  @AfterMethod(alwaysRun = true)
  public void close() throws Exception {
    for (AutoCloseable reader : readers) {
      reader.close();
    }
    volumes.forEach(Volume::close);
    readers.clear();
    volumes.clear();
  }

  @DataProvider
  public static Object[][] ways() {
    return new Object[][] {{true}, {false}};
  }

  @Test(timeOut = 600_000, dataProvider = "ways")
  public void shouldBringEveryByteFromAnyLayoutToAnyPart(boolean shared) {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    List<Holding> holders = holders(HOLDERS, 1 << 26);
    TensorHolders reader = reader(shared);
    for (int round = 1; round <= ROUNDS; round++) {
      String where = "-Dtombolo.seed=" + seed + ", round " + round;
      Map<String, TensorSpec> specs = new LinkedHashMap<>();
      Map<String, byte[]> wholes = new LinkedHashMap<>();
      for (int tensor = 0; tensor <= random.nextInt(3); tensor++) {
        TensorSpec spec = RandomSpecs.draw(random);
        byte[] bytes = new byte[(int) spec.sizeBytes()];
        random.nextBytes(bytes);
        specs.put("t" + tensor, spec);
        wholes.put("t" + tensor, bytes);
      }
      show(holders, round, specs, wholes, random);
      try (HeldSnapshot policy = reader.await("policy", round - 1, LONG)) {
        assertEquals(policy.version(), round, where);
        assertEquals(policy.names(), specs.keySet(), where);
        List<WantedPart> wanted = new ArrayList<>();
        specs.forEach(
            (name, spec) -> {
              for (Box box : List.of(spec.whole(), boxOf(spec, random))) {
                wanted.add(new WantedPart(name, box, HostTensor.allocate(spec.part(box))));
              }
            });
        policy.getAllInto(wanted);
        for (WantedPart each : wanted) {
          TensorSpec spec = specs.get(each.name());
          byte[] expected = Layouts.part(wholes.get(each.name()), spec, each.part());
          assertEquals(Layouts.bytes(each.target()), expected, where + ": " + spec + " " + each);
          each.target().memory().close();
          policy.verify(each.name());
        }
      }
    }
  }

  @DataProvider
  public static Object[][] waysAndEnds() {
    return new Object[][] {{true, true}, {true, false}, {false, true}, {false, false}};
  }

  @Test(timeOut = 120_000, dataProvider = "waysAndEnds")
  public void shouldLeaveReadersOfAVersionAloneWhileTheNextIsWritten(
      boolean shared, boolean readerGoes) {
    Holding holder = holders(1, 2 * ELEMENTS * Float.BYTES).get(0);
    TensorHolders reader = reader(shared);
    show(holder, 1, 1);
    HeldSnapshot first = reader.await("policy", 0, LONG);
    show(holder, 2, 2);
    assertConstant(first, 1);
    ResourceException full = expectThrows(ResourceException.class, () -> show(holder, 3, 3, SHORT));
    assertTrue(full.getMessage().contains("readers"), full.getMessage());
    CompletableFuture<Void> third = CompletableFuture.runAsync(() -> show(holder, 3, 3));
    assertConstant(first, 1);
    if (readerGoes) {
      reader.close(); // which its holders see as they see its death: the connection ends
    } else {
      first.close();
    }
    third.orTimeout(60, TimeUnit.SECONDS).join();
    TensorHolders next = readerGoes ? reader(shared) : reader;
    try (HeldSnapshot now = next.await("policy", 2, LONG)) {
      assertEquals(now.version(), 3);
      assertConstant(now, 3);
    }
  }

  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldShowAVersionOnceAllHoldersDo(boolean shared) {
    List<Holding> holders = holders(2, 1 << 20);
    TensorHolders reader = reader(shared);
    showHalf(holders, 0, 1);
    DeadlineExceededException late =
        expectThrows(
            DeadlineExceededException.class, () -> reader.await("policy", 0, SHORT).close());
    assertTrue(late.getMessage().contains(":" + port(1)), late.getMessage());
    showHalf(holders, 1, 1);
    showHalf(holders, 0, 2); // the other still shows 1, which this one does not any more
    expectThrows(DeadlineExceededException.class, () -> reader.await("policy", 0, SHORT).close());
    CompletableFuture<HeldSnapshot> waiting =
        CompletableFuture.supplyAsync(() -> reader.await("policy", 0, LONG));
    showHalf(holders, 1, 2);
    try (HeldSnapshot both = waiting.orTimeout(60, TimeUnit.SECONDS).join()) {
      assertEquals(both.version(), 2);
      assertConstant(both, 2);
      assertFalse(both.address("w").isPresent(), "nobody has all of it");
    }
  }

  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldNotMixRuns(boolean shared) {
    List<Holding> holders = holders(2, 1 << 20);
    TensorHolders reader = reader(shared);
    showHalf(holders, 0, 1);
    Holding restarted = volumes.get(1).hold("policy", new HolderRank("run 2", 2, 1));
    showHalf(List.of(holders.get(0), restarted), 1, 1);
    DeadlineExceededException late =
        expectThrows(
            DeadlineExceededException.class, () -> reader.await("policy", 0, SHORT).close());
    assertTrue(late.getMessage().contains("run 2"), late.getMessage());
    Holding too = volumes.get(0).hold("policy", new HolderRank("run 2", 2, 0));
    showHalf(List.of(too, restarted), 0, 2);
    showHalf(List.of(too, restarted), 1, 2);
    try (HeldSnapshot both = reader.await("policy", 0, LONG)) {
      assertConstant(both, 2);
    }
  }

  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldNameAHolderThatHasGone(boolean shared) {
    List<Holding> holders = holders(2, 1 << 20);
    TensorHolders reader = reader(shared);
    showHalf(holders, 0, 1);
    showHalf(holders, 1, 1);
    HeldSnapshot before = reader.await("policy", 0, LONG);
    int port = port(1);
    volumes.get(1).close();
    PeerFailedException gone =
        expectThrows(PeerFailedException.class, () -> reader.await("policy", 0, LONG).close());
    assertTrue(gone.getMessage().contains(":" + port), gone.getMessage());
    expectThrows(PeerFailedException.class, () -> before.get("w"));
    expectThrows(PeerFailedException.class, before::check);
    before.close();
  }

  @Test(timeOut = 120_000)
  public void shouldShowNothingOfAVersionThatIsNotCommitted() {
    Holding holder = holders(1, 1 << 20).get(0);
    TensorHolders reader = reader(true);
    PartSpec whole = new PartSpec(TensorSpec.of(DataType.U8, 4), Box.whole(4));
    PlacedPut open = holder.begin(1, Map.of("w", whole), LONG);
    expectThrows(DeadlineExceededException.class, () -> reader.await("policy", 0, SHORT).close());
    open.close();
    expectThrows(UsageException.class, open::commit);
    show(holder, 5, 5);
    UsageException old = expectThrows(UsageException.class, () -> show(holder, 5, 6));
    assertTrue(old.getMessage().contains("not newer"), old.getMessage());
    for (long never : new long[] {5, Long.MAX_VALUE}) {
      expectThrows(
          DeadlineExceededException.class, () -> reader.await("policy", never, SHORT).close());
    }
    reader.await("policy", Long.MIN_VALUE, LONG).close();
    try (HeldSnapshot now = reader.await("policy", 4, LONG)) {
      assertConstant(now, 5);
      assertTrue(now.address("w").isPresent());
    }
    holder.withdraw();
    expectThrows(DeadlineExceededException.class, () -> reader.await("policy", 0, SHORT).close());
    try (TensorStore store =
        TensorStore.connect(volumes.get(0).address(), token, StoreOptions.defaults())) {
      assertEquals(store.figures().freeBytes(), store.figures().capacityBytes());
      assertEquals(store.figures().leases(), 0);
    }
  }

  /** A wrong one is shown, so nobody has read the bytes for it; readers notice. */
  @Test(timeOut = 120_000)
  public void shouldShowTheChecksumsThatItIsToldInsteadOfReading() {
    Holding holder = holders(1, 1 << 20).get(0);
    TensorHolders reader = reader(false);
    PartSpec whole = new PartSpec(TensorSpec.of(DataType.U8, 4), Box.whole(4));
    CRC32C crc = new CRC32C();
    crc.update(new byte[] {7, 7, 7, 7});
    int right = (int) crc.getValue();
    try (PlacedPut put = holder.begin(1, Map.of("right", whole, "wrong", whole), LONG)) {
      NativeMemory.fill(put.address("right"), (byte) 7, 4);
      NativeMemory.fill(put.address("wrong"), (byte) 7, 4);
      put.setChecksum("right", right);
      put.setChecksum("wrong", right + 1);
      expectThrows(UsageException.class, () -> put.setChecksum("other", right));
      assertEquals(put.commit(), 1);
      expectThrows(UsageException.class, () -> put.setChecksum("right", right));
    }
    try (HeldSnapshot shown = reader.await("policy", 0, LONG)) {
      shown.verify("right");
      expectThrows(CorruptException.class, () -> shown.verify("wrong"));
    }
  }

  @Test(timeOut = 120_000)
  public void shouldRefuseHoldersThatDoNotAgree() {
    List<Holding> holders = holders(2, 1 << 20);
    TensorHolders reader = reader(true);
    showHalf(holders, 0, 1);
    TensorPart other = TensorPart.whole(HostTensor.allocate(DataType.U8, 4));
    holders.get(1).show(1, Map.of("w", other), LONG);
    MismatchException differ =
        expectThrows(MismatchException.class, () -> reader.await("policy", 0, LONG).close());
    assertTrue(differ.getMessage().contains(":" + port(1)), differ.getMessage());
    holders.get(1).show(2, Map.of("b", other), LONG);
    showHalf(holders, 0, 2);
    try (HeldSnapshot half = reader.await("policy", 1, LONG)) {
      MismatchException gap = expectThrows(MismatchException.class, () -> half.get("w"));
      assertTrue(gap.getMessage().contains("do not have all of it"), gap.getMessage());
    }
    TensorHolders one =
        TensorHolders.connect(List.of(volumes.get(0).address()), token, StoreOptions.defaults());
    readers.add(one);
    expectThrows(UsageException.class, () -> one.await("policy", 0, LONG).close());
  }

  private List<Holding> holders(int count, int memoryBytes) {
    List<Holding> holdings = new ArrayList<>();
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    for (int rank = 0; rank < count; rank++) {
      Volume volume = Volume.serve(anyPort, token, new VolumeOptions(memoryBytes, 1, LONG));
      volumes.add(volume);
      holdings.add(volume.hold("policy", new HolderRank("run 1", count, rank)));
    }
    return holdings;
  }

  private TensorHolders reader(boolean shared) {
    StoreOptions options = StoreOptions.defaults().withTimeout(LONG);
    TensorHolders reader =
        TensorHolders.connect(
            volumes.stream().map(Volume::address).toList(),
            token,
            shared ? options : options.withoutSharedMemory());
    assertEquals(reader.sharing(), shared ? volumes.size() : 0);
    readers.add(reader);
    return reader;
  }

  private int port(int volume) {
    return volumes.get(volume).address().getPort();
  }

  private static void show(Holding holder, long version, float value) {
    show(holder, version, value, LONG);
  }

  private static void show(Holding holder, long version, float value, Duration patience) {
    HostTensor tensor = Tensors.constant(value, ELEMENTS);
    holder.show(version, Map.of("w", TensorPart.whole(tensor)), patience);
    tensor.memory().close();
  }

  private static void showHalf(List<Holding> holders, int rank, long version) {
    HostTensor half = Tensors.constant((float) version, ELEMENTS / 2);
    TensorSpec whole = TensorSpec.of(DataType.F32, ELEMENTS);
    long from = (long) rank * ELEMENTS / 2;
    Box box = Box.between(new long[] {from}, new long[] {from + ELEMENTS / 2});
    holders.get(rank).show(version, Map.of("w", new TensorPart(whole, box, half)), LONG);
    half.memory().close();
  }

  private static void assertConstant(HeldSnapshot snapshot, float value) {
    for (float element : Tensors.elements(snapshot.get("w"))) {
      assertEquals(element, value);
    }
  }

  private static void show(
      List<Holding> holders,
      long version,
      Map<String, TensorSpec> specs,
      Map<String, byte[]> wholes,
      Random random) {
    List<Map<String, TensorPart>> parts = new ArrayList<>();
    holders.forEach(each -> parts.add(new LinkedHashMap<>()));
    for (Map.Entry<String, TensorSpec> each : specs.entrySet()) {
      TensorSpec spec = each.getValue();
      TensorLayout layout = Layouts.random(spec.whole(), holders.size(), random);
      for (int rank = 0; rank < holders.size(); rank++) {
        Box box = layout.shards().get(rank).box();
        byte[] bytes = Layouts.part(wholes.get(each.getKey()), spec, box);
        HostTensor held = Layouts.tensor(spec.part(box), bytes);
        parts.get(rank).put(each.getKey(), TensorPart.of(layout, rank, held));
      }
    }
    for (int rank = 0; rank < holders.size(); rank++) {
      holders.get(rank).show(version, parts.get(rank), LONG);
      parts.get(rank).values().forEach(part -> part.held().memory().close());
    }
  }

  private static Box boxOf(TensorSpec spec, Random random) {
    Box box = spec.whole();
    for (int dim = 0; dim < box.dimensions(); dim++) {
      int one = random.nextInt((int) box.length(dim) + 1);
      int other = random.nextInt((int) box.length(dim) + 1);
      box = box.cut(dim, Math.min(one, other), Math.max(one, other));
    }
    return box;
  }
}
