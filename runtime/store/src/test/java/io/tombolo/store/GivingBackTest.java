// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.volume.Holding;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/** Leases that are given back on interrupted threads, and while other threads are in long calls. */
public class GivingBackTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  /**
   * Calls wait no longer for those of other threads, nor for the volume, which has to be in time
   * also on a machine that is busy.
   */
  private static final Duration SHORT = Duration.ofSeconds(10);

  private static final int ELEMENTS = 5;

  private final JobToken token = JobToken.random();
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final List<Volume> volumes = new ArrayList<>();
  private final List<Holding> holdings = new ArrayList<>();

  @AfterMethod(alwaysRun = true)
  public void close() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    volumes.forEach(Volume::close);
    opened.clear();
    holdings.clear();
    volumes.clear();
  }

  @Test(timeOut = 120_000)
  public void shouldGiveASnapshotBackOnAThreadThatWasInterrupted() {
    hold(1);
    TensorStore store = store(0, LONG);
    Snapshot snapshot = lent(store);
    assertTrue(staysInterrupted(snapshot::close));
    assertEquals(store.figures().leases(), 0);
    expectThrows(UsageException.class, snapshot::check);
  }

  @Test(timeOut = 120_000)
  public void shouldGiveAllLeasesBackOnAThreadThatWasInterrupted() {
    hold(3);
    showAll();
    HeldSnapshot snapshot = reader(LONG).await("policy", 0, LONG);
    assertTrue(staysInterrupted(snapshot::close));
    for (int rank = 0; rank < 3; rank++) {
      awaitLeases(rank, 0);
    }
    expectThrows(UsageException.class, snapshot::check);
  }

  /** The interrupt comes when it waits for a call of another thread. */
  @Test(timeOut = 120_000)
  public void shouldWaitForItsTurnThoughItIsInterrupted() throws Exception {
    hold(1);
    TensorStore store = store(0, LONG);
    Snapshot snapshot = lent(store);
    LongCall call = LongCall.put(store, ELEMENTS);
    call.begin();
    FutureTask<Boolean> closing =
        new FutureTask<>(
            () -> {
              snapshot.close();
              return Thread.interrupted();
            });
    LongCall.waiting(closing).interrupt();
    call.end();
    assertTrue(closing.get(60, TimeUnit.SECONDS), "the interrupt was lost");
    assertEquals(store.figures().leases(), 0);
  }

  @Test(timeOut = 120_000)
  public void shouldStayOpenWhereTheVolumeCouldNotBeTold() throws Exception {
    hold(1);
    TensorStore store = store(0, SHORT);
    Snapshot snapshot = lent(store);
    LongCall call = LongCall.put(store, ELEMENTS);
    call.begin();
    DeadlineExceededException refused =
        expectThrows(DeadlineExceededException.class, snapshot::close);
    assertTrue(refused.getMessage().contains("close it again"), refused.getMessage());
    call.end();
    assertEquals(store.figures().leases(), 1);
    Tensors.assertConstant(snapshot.get("w"), ELEMENTS, 1);
    snapshot.close();
    assertEquals(store.figures().leases(), 0);
    snapshot.close();
  }

  /** Of three holders the connections to the first and the last are in use. */
  @Test(timeOut = 120_000)
  public void shouldGiveBackWhatItCanAndTheRestWhenItIsClosedAgain() throws Exception {
    hold(3);
    showAll();
    List<HolderLink> links = new ArrayList<>();
    List<HeldLease> leases = new ArrayList<>();
    for (Volume volume : volumes) {
      HolderLink link = HolderLink.open(volume.address(), token, options(SHORT));
      opened.add(link);
      links.add(link);
      leases.add(link.lease("policy", 1, 0).orElseThrow());
    }
    HeldSnapshot snapshot = new HeldSnapshot(leases);
    List<LongCall> calls = List.of(LongCall.of(links.get(0)), LongCall.of(links.get(2)));
    calls.forEach(LongCall::begin);
    DeadlineExceededException refused =
        expectThrows(DeadlineExceededException.class, snapshot::close);
    assertEquals(refused.getSuppressed().length, 1, "that of the last");
    awaitLeases(1, 0);
    awaitLeases(0, 1);
    expectThrows(UsageException.class, snapshot::check);
    for (LongCall call : calls) {
      call.end();
    }
    expectThrows(UsageException.class, () -> snapshot.get("w"));
    snapshot.close();
    for (int rank = 0; rank < 3; rank++) {
      awaitLeases(rank, 0);
    }
    snapshot.close();
  }

  /**
   * One holder has gone, and the other is asked who it is when nobody waits any more: what it lends
   * for that is given back, too, though other threads use its connection meanwhile.
   */
  @Test(timeOut = 120_000)
  public void shouldGiveBackWhatWasLentToLookAtIt() throws Exception {
    hold(2);
    showAll();
    HolderLink gone = HolderLink.open(volumes.get(0).address(), token, options(SHORT));
    opened.add(gone);
    HolderLink left = HolderLink.open(volumes.get(1).address(), token, options(SHORT));
    opened.add(left);
    volumes.get(0).close();
    LongCall before = LongCall.of(left);
    LongCall between = LongCall.of(left);
    before.begin();
    LeaseGathering gathering = new LeaseGathering("policy", List.of(gone, left), SHORT);
    FutureTask<DeadlineExceededException> refused =
        new FutureTask<>(
            () ->
                expectThrows(
                    DeadlineExceededException.class,
                    () -> gathering.gather(0, Deadline.after(LONG))));
    Thread thread = LongCall.waiting(refused);
    between.queue();
    before.end();
    between.awaitBegun();
    while (thread.getState() == Thread.State.RUNNABLE) { // until it waits to give it back
      Thread.onSpinWait();
    }
    expectThrows(DeadlineExceededException.class, () -> left.link().run("wait", () -> null));
    between.end();
    assertEquals(refused.get(60, TimeUnit.SECONDS).getSuppressed().length, 0);
    awaitLeases(1, 0);
  }

  /** Also on a thread that stops waiting: the second never shows what the first has lent. */
  @Test(timeOut = 120_000)
  public void shouldGiveBackWhatWasLentWhileItWaited() throws Exception {
    hold(2);
    show(0);
    TensorHolders reader = reader(LONG);
    FutureTask<AbortedException> waiting =
        new FutureTask<>(
            () ->
                expectThrows(
                    AbortedException.class, () -> reader.await("policy", 0, LONG).close()));
    Thread thread = new Thread(waiting, "waits");
    thread.start();
    awaitLeases(0, 1);
    thread.interrupt();
    AbortedException interrupted = waiting.get(60, TimeUnit.SECONDS);
    assertEquals(interrupted.getSuppressed().length, 0);
    awaitLeases(0, 0);
  }

  /** Whether an interrupt that was there before {@code action} is there after it. */
  private static boolean staysInterrupted(Runnable action) {
    boolean stays;
    Thread.currentThread().interrupt();
    try {
      action.run();
    } finally {
      stays = Thread.interrupted();
    }
    return stays;
  }

  private void hold(int count) {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    for (int rank = 0; rank < count; rank++) {
      Volume volume = Volume.serve(anyPort, token, new VolumeOptions(1 << 20, 1, LONG));
      volumes.add(volume);
      holdings.add(volume.hold("policy", new HolderRank("run 1", count, rank)));
    }
  }

  private void showAll() {
    for (int rank = 0; rank < volumes.size(); rank++) {
      show(rank);
    }
  }

  private void show(int rank) {
    HostTensor tensor = Tensors.constant(1, ELEMENTS);
    holdings.get(rank).show(1, Map.of("w", TensorPart.whole(tensor)), LONG);
    tensor.memory().close();
  }

  private Snapshot lent(TensorStore store) {
    Tensors.put(store, Tensors.constant(1, ELEMENTS));
    Snapshot snapshot = store.open(List.of("w"));
    assertEquals(store.figures().leases(), 1);
    return snapshot;
  }

  private static StoreOptions options(Duration timeout) {
    return new StoreOptions(timeout, false);
  }

  private TensorStore store(int rank, Duration timeout) {
    TensorStore store = TensorStore.connect(volumes.get(rank).address(), token, options(timeout));
    opened.add(store);
    return store;
  }

  private TensorHolders reader(Duration timeout) {
    List<InetSocketAddress> addresses = volumes.stream().map(Volume::address).toList();
    TensorHolders reader = TensorHolders.connect(addresses, token, options(timeout));
    opened.add(reader);
    return reader;
  }

  /** What is given back is not answered: the holder has heard of it some time later. */
  private void awaitLeases(int rank, long count) {
    Deadline deadline = Deadline.after(LONG);
    try (TensorStore store =
        TensorStore.connect(volumes.get(rank).address(), token, options(LONG))) {
      while (store.figures().leases() != count) {
        assertFalse(deadline.isExpired(), rank + ": " + store.figures());
      }
    }
  }
}
