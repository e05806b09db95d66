// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Readers of holders that go while others have what they had. */
public class ReplicaTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int ROUNDS = Boolean.getBoolean("tombolo.deep") ? 200 : 10;

  /** Fewer than a tenth of them come to one of three less than once in a million times. */
  private static final int READERS = 90;

  /** Fewer come to one of four pairs of replicas about once in a million times. */
  private static final int LEAST_OF_A_PAIR = 5;

  /** More than are asked for at a time, with fewer bytes each than sockets hold. */
  private static final int TENSORS = 3 * PartStream.AHEAD;

  private static final int FEW = 1 << 12;
  private static final int ELEMENTS = 1 << 18;
  private static final TensorSpec WHOLE = TensorSpec.of(DataType.F32, ELEMENTS);

  private final JobToken token = JobToken.random();
  private final List<Volume> volumes = new ArrayList<>();
  private final List<Holding> holdings = new ArrayList<>();
  private final List<AutoCloseable> others = new ArrayList<>();

  @AfterMethod(alwaysRun = true)
  public void close() throws Exception {
    for (AutoCloseable other : others) {
      other.close();
    }
    volumes.forEach(Volume::close);
    others.clear();
    holdings.clear();
    volumes.clear();
  }

  @DataProvider
  public static Object[][] ways() {
    return new Object[][] {{true}, {false}};
  }

  /** Holders that name no replicas are not compared, so each can show its own number as `w`. */
  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldSpreadTheReadersOfOneProcessOverAllThatHaveTheSame(boolean shared) {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    hold(3);
    for (int rank = 0; rank < 3; rank++) {
      show(rank, TensorPart.whole(Tensors.constant(rank, 4)));
    }
    List<InetSocketAddress> addresses = volumes.stream().map(Volume::address).toList();
    StoreOptions options = new StoreOptions(LONG, shared);
    int[] drawn = new int[3];
    int[] undrawn = new int[3];
    for (int reader = 0; reader < READERS; reader++) {
      drawn[giver(TensorHolders.connect(addresses, token, options, random))]++;
      undrawn[giver(TensorHolders.connect(addresses, token, options))]++;
    }
    for (int rank = 0; rank < 3; rank++) {
      String readers = Arrays.toString(drawn) + " -Dtombolo.seed=" + seed;
      assertTrue(drawn[rank] >= READERS / 10, readers);
      assertTrue(undrawn[rank] > 0, Arrays.toString(undrawn));
    }
  }

  /** Two halves, each of two holders that are listed side by side. */
  @Test(timeOut = 120_000)
  public void shouldDrawEachReplicaByItselfWhereverItIsListed() {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    hold(4);
    for (int rank = 0; rank < 4; rank++) {
      show(rank, half(rank / 2, rank));
    }
    List<InetSocketAddress> addresses = volumes.stream().map(Volume::address).toList();
    StoreOptions options = new StoreOptions(LONG, true);
    Map<List<Integer>, Integer> pairs = new HashMap<>();
    for (int reader = 0; reader < READERS; reader++) {
      pairs.merge(
          givers(TensorHolders.connect(addresses, token, options, random)), 1, Integer::sum);
    }
    String readers = pairs + " -Dtombolo.seed=" + seed;
    assertEquals(pairs.size(), 4, readers);
    pairs.values().forEach(count -> assertTrue(count >= LEAST_OF_A_PAIR, readers));
  }

  /** Whose halves of `w` a reader gets. */
  private static List<Integer> givers(TensorHolders reader) {
    try (reader;
        HeldSnapshot policy = reader.await("policy", 0, LONG)) {
      float[] got = Tensors.elements(policy.get("w"));
      return List.of((int) got[0], (int) got[ELEMENTS - 1]);
    }
  }

  /** Whose `w` a reader gets. */
  private static int giver(TensorHolders reader) {
    try (reader;
        HeldSnapshot policy = reader.await("policy", 0, LONG)) {
      return (int) Tensors.elements(policy.get("w"))[0];
    }
  }

  /** Its bytes end at any place, the first as the last. */
  @Test(timeOut = 300_000)
  public void shouldGoOnWithAnotherHolderInTheMiddleOfAnAnswer() throws Exception {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      String where = "-Dtombolo.seed=" + seed + ", round " + round;
      hold(2);
      showAll(round);
      AtomicLong budget = new AtomicLong(Long.MAX_VALUE / 2);
      List<CutRelay> relays = new ArrayList<>();
      for (Volume volume : volumes) {
        relays.add(new CutRelay(volume.address(), budget));
      }
      others.addAll(relays);
      TensorHolders reader = reader(relays.stream().map(CutRelay::address).toList(), false);
      HeldSnapshot policy = reader.await("policy", 0, LONG);
      budget.set(random.nextInt(ELEMENTS * Float.BYTES));
      assertConstant(policy.get("w"), round, where);
      assertEquals(relays.stream().filter(CutRelay::isCut).count(), 1, where);
      policy.check();
      close();
    }
  }

  /** It goes after any of them, and in the middle of any. */
  @Test(timeOut = 300_000)
  public void shouldGetTheRestOfManyTensorsFromAnotherHolder() throws Exception {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      String where = "-Dtombolo.seed=" + seed + ", round " + round;
      hold(2);
      Map<String, TensorPart> parts = new HashMap<>();
      for (int tensor = 0; tensor < TENSORS; tensor++) {
        parts.put("w" + tensor, TensorPart.whole(Tensors.constant(round + tensor, FEW)));
      }
      holdings.forEach(holding -> holding.show(1, parts, LONG));
      AtomicLong budget = new AtomicLong(Long.MAX_VALUE / 2);
      List<CutRelay> relays = new ArrayList<>();
      for (Volume volume : volumes) {
        relays.add(new CutRelay(volume.address(), budget));
      }
      others.addAll(relays);
      TensorHolders reader = reader(relays.stream().map(CutRelay::address).toList(), false);
      HeldSnapshot policy = reader.await("policy", 0, LONG);
      budget.set(random.nextInt(TENSORS * FEW * Float.BYTES));
      List<WantedPart> wanted = new ArrayList<>();
      parts.forEach(
          (name, part) -> wanted.add(new WantedPart(name, part.box(), Tensors.constant(-1, FEW))));
      policy.getAllInto(wanted);
      assertEquals(relays.stream().filter(CutRelay::isCut).count(), 1, where);
      for (WantedPart each : wanted) {
        HostTensor held = parts.get(each.name()).held();
        assertBytes(each.target(), Layouts.bytes(held), where + ": " + each.name());
        held.memory().close();
      }
      policy.check();
      close();
    }
  }

  /** The third has all, the others have it together: one of the three is always too many. */
  @Test(timeOut = 300_000, dataProvider = "ways")
  public void shouldReadFromTheOthersWhateverTheyHave(boolean shared) throws Exception {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      String where = "-Dtombolo.seed=" + seed + ", round " + round;
      TensorSpec spec = RandomSpecs.draw(random);
      byte[] bytes = new byte[(int) spec.sizeBytes()];
      random.nextBytes(bytes);
      hold(3);
      TensorLayout layout = Layouts.random(spec.whole(), 2, random);
      for (int rank = 0; rank < 3; rank++) {
        Box box = rank == 2 ? spec.whole() : layout.shards().get(rank).box();
        HostTensor held = Layouts.tensor(spec.part(box), Layouts.part(bytes, spec, box));
        show(rank, new TensorPart(spec, box, held));
      }
      HeldSnapshot policy = reader(shared).await("policy", 0, LONG);
      assertBytes(policy.get("w"), bytes, where);
      volumes.get(random.nextInt(3)).close();
      for (int time = 0; time < 2; time++) { // it finds out, and knows
        assertBytes(policy.get("w"), bytes, where);
        policy.verify("w");
        policy.check();
      }
      close();
    }
  }

  @Test(timeOut = 120_000)
  public void shouldGiveNoAddressInAHolderThatHasGoneAndReadOn() {
    hold(3);
    showAllAndHalves();
    TensorHolders reader = reader(true);
    HeldSnapshot copied = reader.await("policy", 0, LONG);
    HeldSnapshot looked = reader.await("policy", 0, LONG);
    assertTrue(looked.address("w").isPresent());
    looked.check();
    volumes.get(0).close();
    expectThrows(PeerFailedException.class, looked::check);
    assertFalse(looked.address("w").isPresent());
    assertConstant(looked.get("w"), 1, "all is left");
    copied.check();
    assertFalse(copied.address("w").isPresent());
    volumes.get(1).close();
    for (HeldSnapshot each : List.of(copied, looked)) {
      Box half = Box.between(new long[] {ELEMENTS / 2}, new long[] {ELEMENTS});
      assertConstant(each.get("w", half), 1, "half is left");
      expectThrows(PeerFailedException.class, () -> each.get("w"));
      expectThrows(PeerFailedException.class, () -> each.verify("w"));
      expectThrows(PeerFailedException.class, each::check);
    }
  }

  /** Who takes back what he has shown takes the whole version back. */
  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldNotGoOnWithoutAHolderThatHasWithdrawn(boolean shared) {
    hold(2);
    showAll(1);
    HeldSnapshot policy = reader(shared).await("policy", 0, LONG);
    holdings.get(0).withdraw();
    expectThrows(AbortedException.class, policy::check);
    holdings.get(1).withdraw();
    expectThrows(AbortedException.class, () -> policy.get("w"));
  }

  /** Of four, 2 has what 0 has, and 3 what 1 has: half of w, and all of its own b. */
  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldOpenNewVersionsWhileOneOfEachReplicaIsLeft(boolean shared) {
    hold(4, 2);
    showShares(1, Set.of());
    TensorHolders reader = reader(shared);
    assertShares(reader.await("policy", 0, LONG), 1);
    volumes.get(0).close();
    showShares(2, Set.of(0));
    assertShares(reader.await("policy", 1, LONG), 2);
    volumes.get(3).close();
    showShares(3, Set.of(0, 3));
    assertShares(reader.await("policy", 2, LONG), 3);
    List<InetSocketAddress> left = List.of(volumes.get(1).address(), volumes.get(2).address());
    assertShares(reader(left, shared).await("policy", 2, LONG), 3);
    volumes.get(2).close();
    for (int time = 0; time < 2; time++) { // it finds out, and knows
      expectThrows(PeerFailedException.class, () -> reader.await("policy", 0, LONG).close());
    }
  }

  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldGoOnWaitingWithoutAHolderThatDiesMeanwhile(boolean shared) {
    hold(2, 2);
    showAll(1, 1);
    TensorHolders reader = reader(shared);
    reader.await("policy", 0, LONG).close();
    CompletableFuture<HeldSnapshot> waiting =
        CompletableFuture.supplyAsync(() -> reader.await("policy", 1, LONG));
    volumes.get(1).close();
    show(0, 2, TensorPart.whole(Tensors.constant(2, ELEMENTS)));
    try (HeldSnapshot policy = waiting.orTimeout(60, TimeUnit.SECONDS).join()) {
      assertEquals(policy.version(), 2);
      assertConstant(policy.get("w"), 2, "the one that is left");
      policy.check();
    }
    DeadlineExceededException late =
        expectThrows(
            DeadlineExceededException.class,
            () -> reader.await("policy", 2, Duration.ofMillis(50)).close());
    assertTrue(late.getMessage().contains("is lost"), late.getMessage());
  }

  /** The one that is left shows w, and nobody knows what the other would have shown beside it. */
  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldOpenNoNewVersionWithoutAHolderThatNamesNoReplica(boolean shared) {
    hold(2);
    showAll(1);
    TensorHolders reader = reader(shared);
    HeldSnapshot before = reader.await("policy", 0, LONG);
    volumes.get(0).close();
    show(1, 2, TensorPart.whole(Tensors.constant(2, ELEMENTS)));
    PeerFailedException gone =
        expectThrows(PeerFailedException.class, () -> reader.await("policy", 1, LONG).close());
    String named = ":" + volumes.get(0).address().getPort();
    assertTrue(gone.getMessage().contains(named), gone.getMessage());
    assertConstant(before.get("w"), 1, "what was open stays open");
    TensorHolders fewer = reader(List.of(volumes.get(1).address()), shared);
    expectThrows(UsageException.class, () -> fewer.await("policy", 1, LONG).close());
  }

  @Test(timeOut = 120_000)
  public void shouldWaitForAllThatAreLeftAndNotForTheFirst() {
    hold(3, 3);
    showAll(1, 1);
    TensorHolders reader = reader(true);
    volumes.get(0).close();
    show(1, 2, TensorPart.whole(Tensors.constant(2, ELEMENTS)));
    DeadlineExceededException late =
        expectThrows(
            DeadlineExceededException.class,
            () -> reader.await("policy", 1, Duration.ofMillis(50)).close());
    String slower = ":" + volumes.get(2).address().getPort() + " shows none";
    assertTrue(late.getMessage().contains(slower), late.getMessage());
    show(2, 2, TensorPart.whole(Tensors.constant(2, ELEMENTS)));
    try (HeldSnapshot policy = reader.await("policy", 1, LONG)) {
      assertConstant(policy.get("w"), 2, "both that are left");
    }
  }

  /** The next version is of another run, in which the one that is left has no replica. */
  @Test(timeOut = 120_000)
  public void shouldNotTakeAReplicaOfOneRunForThatOfAnother() {
    hold(2, 2);
    showAll(1, 1);
    TensorHolders reader = reader(true);
    reader.await("policy", 0, LONG).close();
    volumes.get(0).close();
    holdings.set(1, volumes.get(1).hold("policy", new HolderRank("run 2", 2, 1)));
    show(1, 2, TensorPart.whole(Tensors.constant(2, ELEMENTS)));
    expectThrows(PeerFailedException.class, () -> reader.await("policy", 1, LONG).close());
  }

  @Test(timeOut = 120_000)
  public void shouldRefuseReplicasThatDiffer() {
    hold(2, 2);
    TensorHolders reader = reader(true);
    show(0, 1, TensorPart.whole(Tensors.constant(1, ELEMENTS)));
    show(1, 1, TensorPart.whole(Tensors.constant(2, ELEMENTS)));
    assertDiffer(reader, 1, "checksum");
    show(0, 2, TensorPart.whole(Tensors.constant(1, ELEMENTS)));
    show(1, 2, half(1, 1));
    assertDiffer(reader, 2, "'w'");
    HostTensor own = Tensors.constant(1, ELEMENTS);
    holdings.get(0).show(3, Map.of("w", TensorPart.whole(own)), LONG);
    holdings.get(1).show(3, Map.of("w", TensorPart.whole(own), "b", TensorPart.whole(own)), LONG);
    assertDiffer(reader, 3, "'b'");
    holdings.get(0).show(4, Map.of("w", TensorPart.whole(own)), LONG);
    holdings.get(1).show(4, Map.of("w", TensorPart.whole(own)), LONG);
    own.memory().close();
    try (HeldSnapshot policy = reader.await("policy", 3, LONG)) {
      assertConstant(policy.get("w"), 1, "they are equal again");
    }
    // after which the holders have got the reader's word that it needs none of them
    Duration soon = Duration.ofMillis(50);
    expectThrows(DeadlineExceededException.class, () -> reader.await("other", 0, soon).close());
    try (TensorStore store =
        TensorStore.connect(volumes.get(0).address(), token, StoreOptions.defaults())) {
      assertEquals(store.figures().leases(), 0, "of versions that were refused");
    }
  }

  @Test(timeOut = 120_000)
  public void shouldRefuseHoldersThatDoNotAgreeWhoIsAReplica() {
    hold(2, 2);
    holdings.set(1, volumes.get(1).hold("policy", new HolderRank("run 1", 2, 1)));
    showAll(1, 1);
    TensorHolders reader = reader(true);
    MismatchException differ =
        expectThrows(MismatchException.class, () -> reader.await("policy", 0, LONG).close());
    assertTrue(differ.getMessage().contains("2 replicas"), differ.getMessage());
    for (int replicas : new int[] {0, -1, 3}) {
      expectThrows(UsageException.class, () -> new HolderRank("run 1", 4, 0, replicas));
    }
  }

  private static void assertDiffer(TensorHolders reader, long version, String what) {
    MismatchException differ =
        expectThrows(
            MismatchException.class, () -> reader.await("policy", version - 1, LONG).close());
    assertTrue(differ.getMessage().contains("version " + version), differ.getMessage());
    assertTrue(differ.getMessage().contains(what), differ.getMessage());
  }

  private void showShares(long version, Set<Integer> gone) {
    for (int rank = 0; rank < 4; rank++) {
      if (!gone.contains(rank)) {
        HostTensor own = Tensors.constant((float) version, 3);
        TensorPart half = half(rank % 2, (float) version);
        Map<String, TensorPart> share = Map.of("w", half, "b" + rank % 2, TensorPart.whole(own));
        holdings.get(rank).show(version, share, LONG);
        own.memory().close();
        half.held().memory().close();
      }
    }
  }

  private static void assertShares(HeldSnapshot policy, long version) {
    assertEquals(policy.version(), version);
    assertEquals(policy.names(), Set.of("w", "b0", "b1"));
    for (String name : policy.names()) {
      assertConstant(policy.get(name), (float) version, name);
      policy.verify(name);
    }
    policy.close();
  }

  private static TensorPart half(int half, float value) {
    long from = (long) half * ELEMENTS / 2;
    Box box = Box.between(new long[] {from}, new long[] {from + ELEMENTS / 2});
    return new TensorPart(WHOLE, box, Tensors.constant(value, ELEMENTS / 2));
  }

  private void hold(int count) {
    hold(count, 1);
  }

  private void hold(int count, int replicas) {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    for (int rank = 0; rank < count; rank++) {
      Volume volume = Volume.serve(anyPort, token, new VolumeOptions(1 << 24, 1, LONG));
      volumes.add(volume);
      holdings.add(volume.hold("policy", new HolderRank("run 1", count, rank, replicas)));
    }
  }

  private void show(int rank, TensorPart part) {
    show(rank, 1, part);
  }

  private void show(int rank, long version, TensorPart part) {
    holdings.get(rank).show(version, Map.of("w", part), LONG);
    part.held().memory().close();
  }

  private void showAll(float value) {
    showAll(1, value);
  }

  private void showAll(long version, float value) {
    for (int rank = 0; rank < holdings.size(); rank++) {
      show(rank, version, TensorPart.whole(Tensors.constant(value, ELEMENTS)));
    }
  }

  private void showAllAndHalves() {
    show(0, TensorPart.whole(Tensors.constant(1, ELEMENTS)));
    show(1, half(0, 1));
    show(2, half(1, 1));
  }

  private TensorHolders reader(boolean shared) {
    return reader(volumes.stream().map(Volume::address).toList(), shared);
  }

  private TensorHolders reader(List<InetSocketAddress> addresses, boolean shared) {
    StoreOptions options = new StoreOptions(LONG, shared);
    TensorHolders reader = TensorHolders.connect(addresses, token, options);
    assertEquals(reader.sharing(), shared ? addresses.size() : 0);
    others.add(0, reader); // to be closed first
    return reader;
  }

  private static void assertBytes(HostTensor got, byte[] wanted, String where) {
    assertEquals(Layouts.bytes(got), wanted, where);
    got.memory().close();
  }

  private static void assertConstant(HostTensor got, float value, String where) {
    for (float element : Tensors.elements(got)) {
      assertEquals(element, value, where);
    }
  }
}
