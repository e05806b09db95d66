// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.Test;

/** A store of the program around, and one that is lent: what becomes of waits and of errors. */
public class CallbackStoreTest {
  private static final Duration LONG = Duration.ofSeconds(40);

  private final MemoryStore values = new MemoryStore();

  private TomboloException endOfWait(Store store, Runnable end) throws InterruptedException {
    CountDownLatch waits = new CountDownLatch(1);
    CompletableFuture<byte[]> waiting = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              waits.countDown();
              try {
                waiting.complete(store.await("k", Deadline.after(LONG)));
              } catch (TomboloException e) {
                waiting.completeExceptionally(e);
              }
            });
    thread.start();
    assertTrue(waits.await(LONG.toSeconds(), TimeUnit.SECONDS));
    end.run();
    return (TomboloException) expectThrows(CompletionException.class, waiting::join).getCause();
  }

  private List<Store> lent() {
    return List.of(
        new CallbackStore(new Shelf(values)).borrowed(),
        values.borrowed(),
        new SealedStore(values, JobToken.random()).narrowedTo("p").borrowed());
  }

  @Test(timeOut = 60_000)
  public void shouldEndOnlyTheWaitsOfTheOneWhoGivesUp() throws InterruptedException {
    for (Store store : lent()) {
      CompletableFuture<byte[]> other =
          CompletableFuture.supplyAsync(
              () -> store.borrowed().await("of others", Deadline.after(LONG)),
              task -> new Thread(task).start());
      TomboloException e = endOfWait(store, () -> store.endWaits("rank 2 is gone"));
      assertTrue(e instanceof PeerFailedException, e.toString());
      assertTrue(e.getMessage().endsWith("rank 2 is gone"), e.getMessage());
      assertFalse(other.isDone());
      store.set("of others", new byte[] {7});
      assertEquals(other.join(), new byte[] {7});
      store.delete("of others");
    }
  }

  @Test(timeOut = 60_000)
  public void shouldEndTheWaitsOfTheOneWhoLeavesAndLeaveTheStoreOpen() throws InterruptedException {
    for (Store store : lent()) {
      TomboloException e = endOfWait(store, store::close);
      assertTrue(e instanceof AbortedException, e.toString());
      store.set("usable", new byte[] {1});
      assertEquals(store.get("usable").orElseThrow(), new byte[] {1});
    }
  }

  @Test(timeOut = 60_000)
  public void shouldSayWhereAndWhatWhenTheProgramsStoreThrows() {
    Store store =
        new CallbackStore(
            new StoreCallbacks() {
              @Override
              public void set(String key, byte[] value) {
                throw new IllegalStateException("socket closed");
              }

              @Override
              public Optional<byte[]> get(String key) {
                throw new IllegalStateException("socket closed");
              }

              @Override
              public long add(String key, long delta) {
                throw new IllegalStateException("socket closed");
              }

              @Override
              public byte[] compareSet(String key, byte[] expected, byte[] desired) {
                throw new IllegalStateException("socket closed");
              }

              @Override
              public String where() {
                return "torch's store";
              }
            });
    for (Runnable call :
        List.<Runnable>of(
            () -> store.set("k", new byte[0]),
            () -> store.get("k"),
            () -> store.add("k", 1),
            () -> store.await("k", Deadline.after(LONG)),
            () -> store.compareSet("k", new byte[0], "v".getBytes(UTF_8)))) {
      PeerFailedException e = expectThrows(PeerFailedException.class, call::run);
      assertTrue(e.getMessage().startsWith("torch's store could not "), e.getMessage());
      assertTrue(e.getMessage().contains("'k': "), e.getMessage());
      assertTrue(e.getMessage().contains("socket closed"), e.getMessage());
    }
    assertFalse(store.delete("k"), "what cannot delete says so");
  }
}
