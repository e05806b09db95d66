// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.volume.Holding;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.TensorLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Readers of holders that go while others have what they had. */
public class ReplicaTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int ROUNDS = Boolean.getBoolean("tombolo.deep") ? 200 : 10;
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

  private void hold(int count) {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    for (int rank = 0; rank < count; rank++) {
      Volume volume = Volume.serve(anyPort, token, new VolumeOptions(1 << 24, 1, LONG));
      volumes.add(volume);
      holdings.add(volume.hold("policy", new HolderRank("run 1", count, rank)));
    }
  }

  private void show(int rank, TensorPart part) {
    holdings.get(rank).show(1, Map.of("w", part), LONG);
    part.held().memory().close();
  }

  private void showAll(float value) {
    for (int rank = 0; rank < holdings.size(); rank++) {
      show(rank, TensorPart.whole(Tensors.constant(value, ELEMENTS)));
    }
  }

  private void showAllAndHalves() {
    show(0, TensorPart.whole(Tensors.constant(1, ELEMENTS)));
    for (int half = 0; half < 2; half++) {
      long from = (long) half * ELEMENTS / 2;
      Box box = Box.between(new long[] {from}, new long[] {from + ELEMENTS / 2});
      show(1 + half, new TensorPart(WHOLE, box, Tensors.constant(1, ELEMENTS / 2)));
    }
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
