// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorMaker;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.WantedPart;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
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
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Calls that move much, and those of other threads that come in between. */
public class TurnsTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  /** Of a connection's turns, and of all that a test does in time: this machine may be busy. */
  private static final Duration SHORT = Duration.ofSeconds(10);

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
      LongCall before = LongCall.of(link);
      before.begin();
      FutureTask<Void> getting = task(() -> lease.copy(pieces(first, last)));
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

  /** Of all that goes on in a next turn, each on a connection of its own, at the same time. */
  @Test(timeOut = 240_000)
  public void shouldWaitForItsNextTurnLongerThanTheTimeout() throws Exception {
    HostTensor tensor = Tensors.constant(1, ELEMENTS); // which the put closes
    volume
        .hold("policy", new HolderRank("run 1", 1, 0))
        .show(1, Map.of("w", TensorPart.whole(tensor)), LONG);
    try (TensorStore store =
        TensorStore.connect(volume.address(), token, new StoreOptions(LONG, true))) {
      Tensors.put(store, tensor);
    }
    List<BiFunction<HolderLink, HostTensor, Runnable>> gets =
        List.of(
            (link, target) -> {
              Snapshot snapshot = open(link);
              return () -> snapshot.getAllInto(wanted(target, target));
            },
            (link, target) -> {
              HeldLease lease = link.lease("policy", 1, 0).orElseThrow();
              return () -> lease.copy(pieces(target, target));
            },
            (link, target) -> {
              HeldSnapshot snapshot =
                  new HeldSnapshot(List.of(link.lease("policy", 1, 0).orElseThrow()));
              return () -> snapshot.getInto("w", target); // it asks once more when all has come
            });
    List<FutureTask<Void>> waits =
        gets.stream().map(get -> new FutureTask<>(() -> waitsLonger(get))).toList();
    waits.forEach(each -> new Thread(each, "waits longer").start());
    for (FutureTask<Void> each : waits) {
      each.get(200, TimeUnit.SECONDS);
    }
  }

  /** What begins behind the same long call is late. */
  private Void waitsLonger(BiFunction<HolderLink, HostTensor, Runnable> opened) throws Exception {
    HostTensor target = Tensors.constant(-1, ELEMENTS);
    StoreOptions options = new StoreOptions(SHORT, true);
    try (HolderLink link = HolderLink.open(volume.address(), token, options)) {
      FutureTask<Void> getting = task(opened.apply(link, target));
      LongCall between = LongCall.of(link);
      startInBetween(link, getting, between);
      expectThrows(
          DeadlineExceededException.class, () -> link.link().run("be in time", () -> null));
      assertFalse(getting.isDone(), "it did not wait");
      between.end();
      getting.get(60, TimeUnit.SECONDS);
      assertEquals(elementOf(target), 1F);
    }
    target.memory().close();
    return null;
  }

  /** It gives up what it waits for, and the connection is as before. */
  @Test(timeOut = 120_000)
  public void shouldStopWaitingForItsNextTurnWhenInterrupted() throws Exception {
    HostTensor first = Tensors.constant(-1, ELEMENTS);
    HostTensor last = Tensors.constant(-1, ELEMENTS);
    StoreOptions options = new StoreOptions(LONG, true);
    try (TensorStore store = TensorStore.connect(volume.address(), token, options)) {
      Tensors.put(store, Tensors.constant(1, ELEMENTS));
    }
    try (HolderLink link = HolderLink.open(volume.address(), token, options)) {
      Snapshot snapshot = open(link);
      FutureTask<Boolean> getting =
          new FutureTask<>(
              () -> {
                expectThrows(
                    AbortedException.class, () -> snapshot.getAllInto(wanted(first, last)));
                return Thread.interrupted();
              });
      LongCall between = LongCall.of(link);
      startInBetween(link, getting, between).interrupt();
      assertTrue(getting.get(60, TimeUnit.SECONDS), "the interrupt was lost");
      assertEquals(elementOf(first), 1F);
      assertEquals(elementOf(last), -1F);
      between.end();
      snapshot.getAllInto(wanted(first, last));
      assertEquals(elementOf(last), 1F);
    }
    List.of(first, last).forEach(each -> each.memory().close());
  }

  /**
   * Starts a call, and returns once {@code between} has the turn between its first and its next.
   */
  private static Thread startInBetween(HolderLink link, FutureTask<?> call, LongCall between)
      throws Exception {
    LongCall before = LongCall.of(link);
    before.begin();
    Thread thread = LongCall.waiting(call);
    between.queue();
    before.end();
    between.awaitBegun();
    while (thread.getState() == Thread.State.RUNNABLE) { // until it waits again
      Thread.onSpinWait();
    }
    return thread;
  }

  private static Snapshot open(HolderLink link) {
    VolumeLink volume = link.link();
    return volume.run(
        "open a tensor",
        () -> {
          Reply reply = volume.ask(new VolumeRequest.OpenTensors(ImmutableList.of("w")));
          return new Snapshot(volume, link.memory(), link.reads(), (Reply.Leased) reply);
        });
  }

  private static List<HeldLease.Piece> pieces(HostTensor first, HostTensor last) {
    return wanted(first, last).stream()
        .map(each -> new HeldLease.Piece(0, each.part(), each))
        .toList();
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
