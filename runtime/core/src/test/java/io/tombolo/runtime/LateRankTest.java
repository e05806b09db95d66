// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.bootstrap.Attendance;
import io.tombolo.runtime.store.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.testng.annotations.Test;

/** Joining has a time of its own, which may be longer than that of other waits. */
public class LateRankTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(200);

  private static CommunicatorBuilder rank(int rank, MemoryStore store) {
    return Communicator.builder()
        .environment(Map.of())
        .rank(rank, 2, rank)
        .localSize(2)
        .vendor("host")
        .setting("device", "0")
        .timeout(SHORT)
        .store(store);
  }

  private static CompletableFuture<Communicator> joining(CommunicatorBuilder rank) {
    return CompletableFuture.supplyAsync(rank::join, task -> new Thread(task, "rank").start());
  }

  @Test(timeOut = 120_000)
  public void shouldWaitForALateRankAsLongAsJoiningMayTake() {
    MemoryStore store = new MemoryStore();
    String limit = Long.toString(LONG.toMillis());
    CompletableFuture<Communicator> early =
        joining(rank(0, store).setting("join_timeout_ms", limit));
    awaitJoiner(store);
    letPass(SHORT.plus(SHORT));
    try (Communicator late = rank(1, store).timeout(LONG).join();
        Communicator first = early.join()) {
      assertEquals(first.size() + late.size(), 4);
      first.abort(); // nobody need wait for the other to leave
    }
  }

  @Test(timeOut = 120_000)
  public void shouldNameWhoIsMissingWhenThatTimeIsOver() {
    CompletableFuture<Communicator> alone =
        joining(rank(0, new MemoryStore()).timeout(LONG).setting("join_timeout_ms", "50"));
    CompletionException e = expectThrows(CompletionException.class, alone::join);
    assertEquals(e.getCause().getClass(), DeadlineExceededException.class);
    assertTrue(
        e.getCause().getMessage().contains("did not come within 50 ms: rank 1. "), e.toString());
  }

  private static void awaitJoiner(MemoryStore store) {
    Deadline limit = Deadline.after(LONG);
    while (Attendance.of(store, 2).joining().isEmpty()) {
      assertTrue(!limit.isExpired(), "nobody joins");
      Thread.onSpinWait();
    }
    assertEquals(Attendance.of(store, 2).joining(), List.of(0));
  }

  private static void letPass(Duration time) {
    Deadline over = Deadline.after(time);
    while (!over.isExpired()) {
      Thread.onSpinWait();
    }
  }
}
