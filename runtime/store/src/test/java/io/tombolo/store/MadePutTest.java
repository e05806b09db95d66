// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.base.Throwables;
import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.PartSpec;
import io.tombolo.store.value.TensorMaker;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Puts of what is made only once there is room for it, in each way that bytes take. */
public class MadePutTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final long ROOM = 64 << 20;

  /** More than the volume reads at once, and less than what it reads by itself. */
  private static final int MANY = 3 * VolumePulls.PIECE_BYTES / Float.BYTES;

  private static final int FEW = 5;

  private final JobToken token = JobToken.random();
  private FakeReads device;
  private Volume volume;

  private enum Way {
    SHARED,
    SENT,
    READ
  }

  /** Makes each in the same memory, all elements its number, and keeps in mind which. */
  private static final class Maker implements TensorMaker, AutoCloseable {
    private final HostTensor memory = HostTensor.allocate(DataType.F32, MANY);
    private final List<String> asked = new ArrayList<>();
    private final List<String> made = new ArrayList<>();
    private Throwable failure = new UsageException("on purpose");
    private String unmade = "";
    private String wronglySummed = "";

    @Override
    public Made make(String name, TensorSpec spec) {
      asked.add(name);
      if (name.equals(unmade)) {
        Throwables.throwIfUnchecked(failure);
      }
      made.add(name);
      Tensors.fill(memory, made.size());
      HostTensor tensor = new HostTensor(spec, memory.memory(), 0);
      int checksum = Checksum.of(memory.memory().address(), spec.sizeBytes());
      return new Made(tensor, OptionalInt.of(name.equals(wronglySummed) ? checksum + 1 : checksum));
    }

    @Override
    public void close() {
      memory.memory().close();
    }
  }

  @BeforeMethod
  public void start() {
    device = new FakeReads();
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    volume = Volume.serve(anyPort, token, new VolumeOptions(ROOM, 2, LONG).withReads(device));
  }

  @AfterMethod(alwaysRun = true)
  public void stop() {
    volume.close();
    assertEquals(device.living(), 0);
  }

  @DataProvider
  public static Object[][] ways() {
    return new Object[][] {{Way.SHARED}, {Way.SENT}, {Way.READ}};
  }

  @DataProvider
  public static Object[][] waysAndFailures() {
    return Stream.of(Way.values())
        .flatMap(
            way ->
                Stream.of(new UsageException("on purpose"), new OutOfMemoryError("on purpose"))
                    .map(failure -> new Object[] {way, failure}))
        .toArray(Object[][]::new);
  }

  private TensorStore store(Way way) {
    StoreOptions options = new StoreOptions(LONG, way == Way.SHARED);
    return TensorStore.connect(
        volume.address(), token, way == Way.READ ? options.withReads(device) : options);
  }

  /** The volume reads the long ones first. */
  private static Map<String, TensorSpec> tensors() {
    Map<String, TensorSpec> tensors = new LinkedHashMap<>();
    tensors.put("few", TensorSpec.of(DataType.F32, FEW));
    tensors.put("many", TensorSpec.of(DataType.F32, MANY));
    tensors.put("none", TensorSpec.of(DataType.F32, 0));
    tensors.put("last", TensorSpec.of(DataType.F32, MANY));
    return tensors;
  }

  private static Map<String, PartSpec> parts(Map<String, TensorSpec> tensors) {
    Map<String, PartSpec> parts = new LinkedHashMap<>();
    tensors.forEach((name, spec) -> parts.put(name, new PartSpec(spec, spec.whole())));
    return parts;
  }

  private static JointWriter alone(String round) {
    return new JointWriter(round, 1, 0, LONG);
  }

  /** Parts without elements are nobody's to write: they are not made. */
  private static void assertPut(TensorStore store, Maker maker, int made) {
    assertEquals(maker.made.size(), made);
    try (Snapshot snapshot = store.openStateDict("policy")) {
      tensors()
          .forEach(
              (name, spec) -> {
                snapshot.verify(name);
                int elements = (int) (spec.sizeBytes() / Float.BYTES);
                int value = maker.made.indexOf(name) + 1;
                Tensors.assertConstant(snapshot.get(name), elements, value);
              });
    }
  }

  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldMakeOneAfterTheOther(Way way) {
    try (TensorStore store = store(way);
        Maker maker = new Maker();
        Maker parts = new Maker()) {
      assertEquals(store.putMade("policy", tensors(), maker), 1);
      assertPut(store, maker, tensors().size());
      assertEquals(device.reads() > 0, way == Way.READ);
      assertEquals(store.putStateDictPart("policy", alone("a"), parts(tensors()), parts), 2);
      assertPut(store, parts, tensors().size() - 1);
      assertEquals(store.putMade("", tensors(), maker), 0);
      assertEquals(store.keys("").size(), tensors().size());
    }
  }

  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldMakeNothingThatDoesNotFit(Way way) {
    Map<String, TensorSpec> tensors = tensors();
    tensors.put("too many", TensorSpec.of(DataType.F32, ROOM / Float.BYTES));
    try (TensorStore store = store(way);
        Maker maker = new Maker()) {
      expectThrows(ResourceException.class, () -> store.putMade("policy", tensors, maker));
      expectThrows(
          ResourceException.class,
          () -> store.putStateDictPart("policy", alone("a"), parts(tensors), maker));
      assertEquals(maker.made, List.of());
    }
  }

  /** It is asked for once: what it fails with first is what its caller hears. */
  @Test(timeOut = 120_000, dataProvider = "waysAndFailures")
  public void shouldGoOnAfterWhatCouldNotBeMade(Way way, Throwable failure) {
    try (TensorStore store = store(way)) {
      for (String unmade : tensors().keySet()) {
        assertFails(store, unmade, failure, maker -> store.putMade("policy", tensors(), maker));
        if (!unmade.equals("none")) {
          JointWriter writer = alone(unmade);
          assertFails(
              store,
              unmade,
              failure,
              maker -> store.putStateDictPart("policy", writer, parts(tensors()), maker));
        }
      }
      try (Maker maker = new Maker()) {
        store.putMade("policy", tensors(), maker);
        assertPut(store, maker, tensors().size());
      }
    }
  }

  private static void assertFails(
      TensorStore store, String unmade, Throwable failure, Consumer<Maker> put) {
    try (Maker maker = new Maker()) {
      maker.unmade = unmade;
      maker.failure = failure;
      Throwable thrown = expectThrows(Throwable.class, () -> put.accept(maker));
      assertSame(thrown, failure);
      assertEquals(Collections.frequency(maker.asked, unmade), 1);
      assertNothingIsLeft(store);
    }
  }

  /** What the maker does about it is its own business. */
  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldRefuseToBeClosedByAMaker(Way way) {
    try (TensorStore store = store(way);
        Maker maker = new Maker();
        Maker parts = new Maker()) {
      assertEquals(store.putMade("policy", tensors(), closing(store, maker)), 1);
      assertPut(store, maker, tensors().size());
      TensorMaker closing = closing(store, parts);
      assertEquals(store.putStateDictPart("policy", alone("a"), parts(tensors()), closing), 2);
      assertPut(store, parts, tensors().size() - 1);
    }
  }

  private static TensorMaker closing(TensorStore store, Maker maker) {
    return (name, spec) -> {
      UsageException refused = expectThrows(UsageException.class, store::close);
      assertTrue(refused.getMessage().contains("in the middle"), refused.getMessage());
      return maker.make(name, spec);
    };
  }

  private static void assertNothingIsLeft(TensorStore store) {
    VolumeFigures now = store.figures();
    assertEquals(now.puts() + now.versions(), 0);
    assertEquals(now.freeBytes(), now.capacityBytes());
  }

  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldRefuseWhatIsNotWhatItWasMadeOf(Way way) {
    try (TensorStore store = store(way);
        Maker maker = new Maker()) {
      maker.wronglySummed = "many";
      CorruptException refused =
          expectThrows(CorruptException.class, () -> store.putMade("policy", tensors(), maker));
      assertTrue(refused.getMessage().contains("'many'"), refused.getMessage());
      assertNothingIsLeft(store);
      refused =
          expectThrows(
              CorruptException.class,
              () -> store.putStateDictPart("policy", alone("a"), parts(tensors()), maker));
      assertTrue(refused.getMessage().contains("'many'"), refused.getMessage());
      assertNothingIsLeft(store);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldRefuseWhatIsMadeOfAnotherShape() {
    HostTensor other = HostTensor.allocate(DataType.F32, FEW + 1);
    try (TensorStore store = store(Way.SENT)) {
      UsageException refused =
          expectThrows(
              UsageException.class,
              () ->
                  store.putMade(
                      "policy",
                      tensors(),
                      (name, spec) -> new TensorMaker.Made(other, OptionalInt.empty())));
      assertTrue(refused.getMessage().contains("'few' is to be"), refused.getMessage());
      assertNothingIsLeft(store);
    } finally {
      other.memory().close();
    }
  }

  /** The other writer shares the volume's memory, and has all of it. */
  @Test(timeOut = 120_000)
  public void shouldNotMakeWhatAReplicaWrites() {
    TensorSpec spec = TensorSpec.of(DataType.F32, FEW);
    HostTensor there = Tensors.constant(3, FEW);
    try (TensorStore near = store(Way.SHARED);
        TensorStore far = store(Way.SENT);
        Maker maker = new Maker()) {
      JointWriter first = new JointWriter("a", 2, 0, LONG);
      JointWriter second = new JointWriter("a", 2, 1, LONG);
      CompletableFuture<Long> other =
          CompletableFuture.supplyAsync(
              () -> near.putStateDictPart("policy", first, Map.of("w", TensorPart.whole(there))));
      Map<String, PartSpec> mine = Map.of("w", new PartSpec(spec, spec.whole()));
      assertEquals(far.putStateDictPart("policy", second, mine, maker), 1);
      assertEquals(other.orTimeout(60, TimeUnit.SECONDS).join().longValue(), 1);
      assertEquals(maker.made, List.of());
      try (Snapshot snapshot = far.openStateDict("policy")) {
        Tensors.assertConstant(snapshot.get("w"), FEW, 3);
      }
    } finally {
      there.memory().close();
    }
  }
}
