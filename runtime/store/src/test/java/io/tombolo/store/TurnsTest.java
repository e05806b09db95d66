// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorMaker;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.WantedPart;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Calls that move much, and those of other threads that come in between. */
public class TurnsTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int ELEMENTS = 3;
  private static final TensorSpec SPEC = TensorSpec.of(DataType.F32, ELEMENTS);

  private final JobToken token = JobToken.random();
  private Volume volume;

  @BeforeMethod
  public void start() {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    volume = Volume.serve(anyPort, token, new VolumeOptions(1 << 20, 2, LONG));
  }

  @AfterMethod(alwaysRun = true)
  public void stop() {
    volume.close();
  }

  @DataProvider
  public static Object[][] ways() {
    return new Object[][] {{true}, {false}};
  }

  @Test
  public void shouldTakeAnotherTurnOnceThereAreManyBytes() {
    long most = Turns.MOST_BYTES;
    assertEquals(turns(), List.of(List.of()));
    assertEquals(turns(1), List.of(List.of(1L)));
    assertEquals(turns(most - 1, 5, 7), List.of(List.of(most - 1, 5L), List.of(7L)));
    assertEquals(turns(most, 5, 7), List.of(List.of(most), List.of(5L, 7L)));
    assertEquals(
        turns(1L << 40, 1L << 41, 0), List.of(List.of(1L << 40), List.of(1L << 41), List.of(0L)));
  }

  @Test
  public void shouldTakeAnotherTurnOnceThereAreManyParts() {
    int most = Turns.MOST_PARTS;
    List<Integer> parts = IntStream.rangeClosed(0, 2 * most).boxed().toList();
    assertEquals(
        Turns.of(parts, part -> 0),
        List.of(parts.subList(0, most), parts.subList(most, 2 * most), List.of(2 * most)));
  }

  private static ImmutableList<ImmutableList<Long>> turns(long... sizes) {
    List<Long> parts = new ArrayList<>();
    for (long size : sizes) {
      parts.add(size);
    }
    return Turns.of(parts, size -> size);
  }

  /** The other call is a put, which looks at what has come when it makes its tensor. */
  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldLetAPutInBetween(boolean shared) throws Exception {
    HostTensor first = Tensors.constant(-1, ELEMENTS);
    HostTensor last = Tensors.constant(-1, ELEMENTS);
    HostTensor made = Tensors.constant(2, ELEMENTS);
    StoreOptions options = new StoreOptions(LONG, shared);
    try (TensorStore store = TensorStore.connect(volume.address(), token, options)) {
      Tensors.put(store, Tensors.constant(1, ELEMENTS));
      Snapshot snapshot = store.open(List.of("w"));
      LongCall before = LongCall.put(store, ELEMENTS);
      before.begin();
      FutureTask<Void> getting = task(() -> snapshot.getAllInto(wanted(first, last)));
      FutureTask<Void> putting =
          task(
              () -> {
                long version =
                    store.putMade(
                        "looks",
                        Map.of("w", SPEC),
                        (name, spec) -> {
                          assertEquals(elementOf(first), 1F);
                          assertEquals(elementOf(last), -1F);
                          return new TensorMaker.Made(made, OptionalInt.empty());
                        });
                assertEquals(version, 1);
              });
      assertEndInTurn(before, getting, putting);
      assertEquals(elementOf(last), 1F);
      snapshot.close();
    }
    List.of(first, last, made).forEach(each -> each.memory().close());
  }

  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldLetCallsOfAHolderInBetween(boolean shared) throws Exception {
    HostTensor first = Tensors.constant(-1, ELEMENTS);
    HostTensor last = Tensors.constant(-1, ELEMENTS);
    HostTensor held = Tensors.constant(1, ELEMENTS);
    volume
        .hold("policy", new HolderRank("run 1", 1, 0))
        .show(1, Map.of("w", TensorPart.whole(held)), LONG);
    StoreOptions options = new StoreOptions(LONG, shared);
    try (HolderLink link = HolderLink.open(volume.address(), token, options)) {
      HeldLease lease = link.lease("policy", 1, 0).orElseThrow();
      List<HeldLease.Piece> pieces =
          wanted(first, last).stream()
              .map(each -> new HeldLease.Piece(0, each.part(), each))
              .toList();
      LongCall before = LongCall.of(link);
      before.begin();
      FutureTask<Void> getting = task(() -> lease.copy(pieces));
      FutureTask<Void> looking =
          task(
              () ->
                  link.link()
                      .run(
                          "look",
                          () -> {
                            assertEquals(elementOf(first), 1F);
                            assertEquals(elementOf(last), -1F);
                            return null;
                          }));
      assertEndInTurn(before, getting, looking);
      assertEquals(elementOf(last), 1F);
      lease.close();
    }
    List.of(first, last, held).forEach(each -> each.memory().close());
  }

  /** One part more than in a turn: all but the last go to one place. */
  private static List<WantedPart> wanted(HostTensor first, HostTensor last) {
    List<WantedPart> wanted =
        new ArrayList<>(
            Collections.nCopies(Turns.MOST_PARTS, new WantedPart("w", SPEC.whole(), first)));
    wanted.add(new WantedPart("w", SPEC.whole(), last));
    return wanted;
  }

  private static FutureTask<Void> task(Runnable call) {
    return new FutureTask<>(call, null);
  }

  /** Both wait for a call, one behind the other, when that ends. */
  private static void assertEndInTurn(LongCall before, FutureTask<Void> one, FutureTask<Void> next)
      throws Exception {
    assertTrue(LongCall.waiting(one).isAlive());
    assertTrue(LongCall.waiting(next).isAlive());
    before.end();
    one.get(60, TimeUnit.SECONDS);
    next.get(60, TimeUnit.SECONDS);
  }

  private static float elementOf(HostTensor tensor) {
    return tensor.memory().view(tensor.offset(), Float.BYTES).getFloat(0);
  }
}
