// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.StridedPart;
import io.tombolo.store.value.StridedTensor;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.VolumeFigures;
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
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Readers of tensors that stay where their programs have them. */
public class RegisteredTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int ROUNDS = Boolean.getBoolean("tombolo.deep") ? 500 : 15;
  private static final int HOLDERS = 3;
  private static final int ELEMENTS = 1 << 20;
  private static final long MOST_BYTES = 1 << 20;

  /** Copies that are cut short by their program, of as many tries as that takes. */
  private static final int CUT_SHORT = Boolean.getBoolean("tombolo.deep") ? 1_000 : 10;

  private final JobToken token = JobToken.random();
  private final List<Volume> volumes = new ArrayList<>();

  @AfterMethod(alwaysRun = true)
  public void close() {
    volumes.forEach(Volume::close);
    volumes.clear();
  }

  @DataProvider
  public static Object[][] ways() {
    return new Object[][] {{true}, {false}};
  }

  @Test(timeOut = 600_000, dataProvider = "ways")
  public void shouldBringEveryByteFromWhereItLies(boolean shared) {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    List<Holding> holders = holders(HOLDERS, 64); // too few for what is read
    try (TensorHolders reader = reader(shared)) {
      for (int round = 1; round <= ROUNDS; round++) {
        String where = "-Dtombolo.seed=" + seed + ", round " + round;
        Map<String, TensorSpec> specs = new LinkedHashMap<>();
        Map<String, byte[]> wholes = new LinkedHashMap<>();
        for (int tensor = 0; tensor <= random.nextInt(3); tensor++) {
          TensorSpec spec = draw(random);
          byte[] bytes = new byte[(int) spec.sizeBytes()];
          random.nextBytes(bytes);
          specs.put("t" + tensor, spec);
          wholes.put("t" + tensor, bytes);
        }
        List<NativeMemory> memory = register(holders, round, specs, wholes, random);
        try (HeldSnapshot policy = reader.await("policy", round - 1, LONG)) {
          assertEquals(policy.version(), round, where);
          assertEquals(policy.names(), specs.keySet(), where);
          for (Map.Entry<String, TensorSpec> each : specs.entrySet()) {
            assertFalse(policy.address(each.getKey()).isPresent(), where);
            for (Box box : List.of(each.getValue().whole(), boxOf(each.getValue(), random))) {
              HostTensor got = policy.get(each.getKey(), box);
              byte[] wanted = Layouts.part(wholes.get(each.getKey()), each.getValue(), box);
              assertEquals(Layouts.bytes(got), wanted, where + ": " + each + " " + box);
              got.memory().close();
            }
            policy.verify(each.getKey());
          }
        }
        holders.forEach(Holding::withdraw);
        memory.forEach(NativeMemory::close);
      }
    }
    assertNothingBorrowed();
  }

  /** Readers that still had it then would end this process. */
  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldReadNothingThatIsWithdrawn(boolean shared) {
    Holding holding = holders(1, 64).get(0);
    HostTensor tensor = Tensors.constant(1, ELEMENTS);
    holding.register(1, part(tensor));
    try (TensorHolders reader = reader(shared)) {
      HeldSnapshot before = reader.await("policy", 0, LONG);
      assertConstant(before, 1);
      before.check();
      holding.withdraw();
      tensor.memory().close();
      AbortedException refused = expectThrows(AbortedException.class, () -> before.get("w"));
      assertTrue(refused.getMessage().contains("version 1"), refused.getMessage());
      expectThrows(AbortedException.class, () -> before.verify("w"));
      expectThrows(AbortedException.class, before::check);
      before.close();
      HostTensor next = Tensors.constant(2, ELEMENTS);
      holding.register(2, part(next));
      try (HeldSnapshot now = reader.await("policy", 1, LONG)) {
        assertConstant(now, 2);
      }
      holding.withdraw();
      next.memory().close();
    }
    assertNothingBorrowed();
  }

  /** The copies of a reader that knows nothing, of memory that is written again and again. */
  @Test(timeOut = 300_000, dataProvider = "ways")
  public void shouldGiveAWholeVersionOrNone(boolean shared) {
    Deadline deadline = Deadline.after(Duration.ofMinutes(4));
    Holding holding = holders(1, 64).get(0);
    HostTensor tensor = Tensors.constant(1, ELEMENTS);
    holding.register(1, part(tensor));
    int refused = 0;
    try (TensorHolders reader = reader(shared)) {
      for (int version = 1; refused < CUT_SHORT; version++) {
        assertTrue(!deadline.isExpired(), "only " + refused + " of " + version);
        int next = version + 1;
        try (HeldSnapshot snapshot = reader.await("policy", version - 1, LONG)) {
          CompletableFuture<Void> replaced =
              CompletableFuture.runAsync(
                  () -> {
                    holding.withdraw();
                    Tensors.fill(tensor, next);
                    holding.register(next, part(tensor));
                  });
          try {
            assertConstant(snapshot, version);
          } catch (AbortedException e) {
            refused++;
          }
          replaced.orTimeout(60, TimeUnit.SECONDS).join();
        }
      }
    }
    holding.withdraw();
    tensor.memory().close();
    assertNothingBorrowed();
  }

  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldNoticeWhatItsProgramWritesAllTheSame(boolean shared) {
    Holding holding = holders(1, 64).get(0);
    HostTensor tensor = Tensors.constant(1, ELEMENTS);
    holding.register(1, part(tensor));
    try (TensorHolders reader = reader(shared);
        HeldSnapshot snapshot = reader.await("policy", 0, LONG)) {
      snapshot.verify("w");
      tensor.memory().put(ELEMENTS, new byte[] {1}, 0, 1);
      expectThrows(CorruptException.class, () -> snapshot.verify("w"));
      CorruptException changed = expectThrows(CorruptException.class, () -> snapshot.get("w"));
      assertTrue(changed.getMessage().contains("not what it shows"), changed.getMessage());
      Tensors.fill(tensor, 1);
      snapshot.verify("w");
      assertConstant(snapshot, 1);
    }
    holding.withdraw();
    tensor.memory().close();
  }

  @Test(timeOut = 120_000)
  public void shouldNeitherReplaceAVersionNorBeReplaced() {
    Holding holding = holders(1, 1 << 20).get(0);
    HostTensor tensor = Tensors.constant(1, 8);
    Map<String, TensorPart> copied = Map.of("w", TensorPart.whole(tensor));
    holding.show(1, copied, LONG);
    UsageException shown =
        expectThrows(UsageException.class, () -> holding.register(2, part(tensor)));
    assertTrue(shown.getMessage().contains("withdraw"), shown.getMessage());
    holding.withdraw();
    holding.register(3, part(tensor));
    expectThrows(UsageException.class, () -> holding.show(4, copied, LONG));
    expectThrows(UsageException.class, () -> holding.register(4, part(tensor)));
    try (TensorHolders reader = reader(true);
        HeldSnapshot now = reader.await("policy", 0, LONG)) {
      assertEquals(now.version(), 3);
      assertConstant(now, 1);
    }
    holding.withdraw();
    expectThrows(UsageException.class, () -> holding.register(0, part(tensor)));
    expectThrows(UsageException.class, () -> holding.register(1, Map.of()));
    expectThrows(
        UsageException.class, () -> holding.register(1, Map.of("", part(tensor).get("w"))));
    tensor.memory().close();
    assertNothingBorrowed();
  }

  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldReadNothingOnceTheVolumeIsClosed(boolean shared) {
    Holding holding = holders(1, 64).get(0);
    HostTensor tensor = Tensors.constant(1, ELEMENTS);
    holding.register(1, part(tensor));
    try (TensorHolders reader = reader(shared);
        HeldSnapshot snapshot = reader.await("policy", 0, LONG)) {
      assertConstant(snapshot, 1);
      volumes.get(0).close();
      tensor.memory().close();
      expectThrows(PeerFailedException.class, () -> snapshot.get("w"));
      expectThrows(PeerFailedException.class, snapshot::check);
    }
  }

  private static Map<String, StridedPart> part(HostTensor tensor) {
    return Map.of("w", StridedPart.of(TensorPart.whole(tensor)));
  }

  /** The memory of all parts. */
  private static List<NativeMemory> register(
      List<Holding> holders,
      long version,
      Map<String, TensorSpec> specs,
      Map<String, byte[]> wholes,
      Random random) {
    List<NativeMemory> memory = new ArrayList<>();
    List<Map<String, StridedPart>> parts = new ArrayList<>();
    holders.forEach(each -> parts.add(new LinkedHashMap<>()));
    specs.forEach(
        (name, spec) -> {
          TensorLayout layout = Layouts.random(spec.whole(), holders.size(), random);
          for (int rank = 0; rank < holders.size(); rank++) {
            Box box = layout.shards().get(rank).box();
            byte[] bytes = Layouts.part(wholes.get(name), spec, box);
            StridedTensor held = Scattered.tensor(spec.part(box), bytes, random);
            memory.add(held.memory());
            parts.get(rank).put(name, new StridedPart(spec, box, held));
          }
        });
    for (int rank = 0; rank < holders.size(); rank++) {
      holders.get(rank).register(version, parts.get(rank));
    }
    return memory;
  }

  /** Elements that lie apart are copied one by one. */
  private static TensorSpec draw(Random random) {
    TensorSpec spec = RandomSpecs.draw(random);
    while (spec.sizeBytes() > MOST_BYTES) {
      spec = RandomSpecs.draw(random);
    }
    return spec;
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
    StoreOptions options = new StoreOptions(LONG, shared);
    return TensorHolders.connect(volumes.stream().map(Volume::address).toList(), token, options);
  }

  private void assertNothingBorrowed() {
    for (Volume volume : volumes) {
      try (TensorStore store =
          TensorStore.connect(volume.address(), token, StoreOptions.defaults())) {
        Deadline deadline = Deadline.after(LONG);
        VolumeFigures now = store.figures();
        while (now.clients() > 1) {
          assertTrue(!deadline.isExpired(), now.toString());
          now = store.figures();
        }
        assertEquals(now.leases(), 0, now.toString());
        assertEquals(now.freeBytes(), now.capacityBytes(), now.toString());
      }
    }
  }

  private static void assertConstant(HeldSnapshot snapshot, float value) {
    assertEquals(snapshot.spec("w").type(), DataType.F32);
    for (float element : Tensors.elements(snapshot.get("w"))) {
      assertEquals(element, value);
    }
  }
}
