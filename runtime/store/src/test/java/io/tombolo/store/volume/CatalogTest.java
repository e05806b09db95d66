// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.NamedSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Who waits for a device that takes long to let go of a tensor, and who does not. */
public class CatalogTest {
  private static final int ELEMENTS = 1 << 18;
  private static final long SIZE_BYTES = (long) ELEMENTS * Float.BYTES;
  private static final int PATIENCE_S = 60;

  private CountDownLatch lettingGo;
  private CountDownLatch goOn;
  private Catalog catalog;

  @BeforeMethod
  public void start() {
    lettingGo = new CountDownLatch(1);
    goOn = new CountDownLatch(1);
    catalog = new Catalog(3 * SIZE_BYTES, 1, this::letGo);
  }

  /** Of the tensor called slow only when the test says so. */
  private void letGo(StoredTensor tensor) {
    if (tensor.name().equals("slow")) {
      lettingGo.countDown();
      await(goOn);
    }
  }

  @AfterMethod(alwaysRun = true)
  public void letAllGo() {
    goOn.countDown();
  }

  private static void await(CountDownLatch event) {
    try {
      assertTrue(event.await(PATIENCE_S, TimeUnit.SECONDS), "it does not come");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(PATIENCE_S));
  }

  private static List<NamedSpec> specs(String... names) {
    return ImmutableList.copyOf(names).stream()
        .map(name -> new NamedSpec(name, TensorSpec.of(DataType.F32, ELEMENTS)))
        .toList();
  }

  private PendingPut put(String stateDict, String name) throws InterruptedException {
    PendingPut put = catalog.begin(stateDict, specs(name), soon());
    catalog.commit(put, ImmutableList.of(0));
    return put;
  }

  /** A common pool may have one thread alone, which a call under way keeps. */
  private static void onThread(Runnable task) {
    new Thread(task, "calls").start();
  }

  private interface Call<T> {
    T make() throws InterruptedException;
  }

  private static <T> CompletableFuture<T> begun(Call<T> call) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return call.make();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        },
        CatalogTest::onThread);
  }

  /** What opens, puts, lists and lends meanwhile goes on; what needs that very room comes after. */
  @Test(timeOut = 120_000)
  public void shouldHoldUpNobodyButWhoNeedsTheRoomThatADeviceLetsGoOf() throws Exception {
    long offset = put("", "slow").tensors().get(0).offset();
    put("", "other");
    CompletableFuture<Long> deleting = begun(() -> catalog.delete(List.of("slow")));
    await(lettingGo);
    FutureTask<PendingPut> next =
        new FutureTask<>(() -> catalog.begin("", specs("big", "bigger"), soon()));
    Thread waiting = new Thread(next, "needs all that is free");
    CompletableFuture<Void> others =
        CompletableFuture.runAsync(
            () -> {
              catalog.release(catalog.open(List.of("other")));
              expectThrows(RuntimeException.class, () -> catalog.open(List.of("slow")));
              assertEquals(catalog.figures(1).freeBytes(), SIZE_BYTES, "one is not free yet");
              waiting.start();
            },
            CatalogTest::onThread);
    others.get(PATIENCE_S, TimeUnit.SECONDS);
    while (waiting.getState() != Thread.State.TIMED_WAITING) {
      assertFalse(next.isDone(), "its room is not free yet");
      Thread.onSpinWait();
    }
    assertFalse(deleting.isDone(), "a device still has it");
    goOn.countDown();
    List<StoredTensor> placed = next.get(PATIENCE_S, TimeUnit.SECONDS).tensors();
    assertTrue(placed.stream().anyMatch(each -> each.offset() == offset), "there is no other room");
    assertEquals(deleting.get(PATIENCE_S, TimeUnit.SECONDS), 1L);
    assertEquals(catalog.figures(1).freeBytes(), 0);
    expectThrows(ResourceException.class, () -> catalog.begin("", specs("more"), soon()));
  }

  /** Who needs it is told what it was, and its connection has the time to hear it. */
  @Test(timeOut = 120_000)
  public void shouldNameWhatADeviceHasNotLetGoOfInTime() throws Exception {
    put("", "slow");
    put("", "other");
    Lease reading = catalog.open(List.of("other"));
    CompletableFuture<Long> deleting = begun(() -> catalog.delete(List.of("slow")));
    await(lettingGo);
    Deadline passed = Deadline.after(Duration.ZERO);
    for (boolean awaitsReaders : new boolean[] {false, true}) {
      ResourceException late =
          expectThrows(
              ResourceException.class,
              () -> {
                PendingPut unused =
                    awaitsReaders
                        ? catalog.awaitRoom("", specs("big", "bigger"), passed)
                        : catalog.begin("", specs("big", "bigger"), passed);
              });
      assertTrue(late.getMessage().contains("'slow'"), late.getMessage());
      assertTrue(late.getMessage().contains("no room for 'bigger'"), late.getMessage());
      assertEquals(late.getMessage().contains("1 leases"), awaitsReaders, late.getMessage());
    }
    catalog.release(reading);
    catalog.abort(catalog.begin("", specs("big"), passed)); // there is room for one
    goOn.countDown();
    assertEquals(deleting.get(PATIENCE_S, TimeUnit.SECONDS), 1L);
    assertEquals(catalog.begin("", specs("big", "bigger"), passed).tensors().size(), 2);
  }

  /** Nothing that a user can delete is in the way. */
  @Test
  public void shouldNameTheRoomThatADeviceKeeps() throws Exception {
    catalog.keep(catalog.begin("", specs("failed"), soon()));
    assertEquals(catalog.figures(1).puts(), 0);
    assertEquals(catalog.figures(1).freeBytes(), 2 * SIZE_BYTES);
    ResourceException none =
        expectThrows(
            ResourceException.class,
            () -> {
              PendingPut unused = catalog.begin("", specs("a", "b", "c"), soon());
            });
    assertTrue(
        none.getMessage().contains("a device keeps " + SIZE_BYTES + " bytes"), none.getMessage());
  }

  /** A commit that replaces a version is visible before a device has let go of that. */
  @Test(timeOut = 120_000)
  public void shouldShowANewVersionWhileADeviceLetsGoOfTheOneBefore() throws Exception {
    put("policy", "slow");
    CompletableFuture<PendingPut> putting = begun(() -> put("policy", "quick"));
    await(lettingGo);
    CompletableFuture<Optional<Lease>> opening =
        begun(() -> catalog.open("policy", 1, Deadline.after(Duration.ZERO)));
    assertEquals(opening.get(PATIENCE_S, TimeUnit.SECONDS).orElseThrow().version(), 2);
    assertFalse(putting.isDone(), "a device still has version 1");
    goOn.countDown();
    putting.get(PATIENCE_S, TimeUnit.SECONDS);
  }

  @Test(timeOut = 120_000)
  public void shouldGoOnShowingWhileADeviceLetsGoOfWhatIsWithdrawn() throws Exception {
    try (NativeMemory fences = NativeMemory.allocate(Fences.SIZE_BYTES)) {
      Holdings holdings = new Holdings(catalog, new Fences(fences, 0));
      show(holdings, "one", "slow");
      CompletableFuture<Void> withdrawing =
          CompletableFuture.runAsync(() -> holdings.withdraw("one"), CatalogTest::onThread);
      await(lettingGo);
      CompletableFuture<Void> others =
          CompletableFuture.runAsync(
              () -> assertEquals(holdings.shown().rows().size(), 0), CatalogTest::onThread);
      others.get(PATIENCE_S, TimeUnit.SECONDS);
      assertFalse(withdrawing.isDone(), "a device still has it");
      goOn.countDown();
      withdrawing.get(PATIENCE_S, TimeUnit.SECONDS);
      assertEquals(catalog.figures(1).freeBytes(), 3 * SIZE_BYTES);
    }
  }

  private void show(Holdings holdings, String stateDict, String name) throws InterruptedException {
    PendingPut room = catalog.begin(stateDict, specs(name), soon());
    catalog.seal(room, ImmutableList.of(0));
    HolderRank rank = new HolderRank("run 1", 1, 0);
    holdings.show(
        stateDict, new HeldVersion(1, rank, ImmutableList.of(), room.tensors(), Optional.empty()));
  }
}
