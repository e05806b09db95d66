// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.primitives.Ints;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.testng.annotations.Test;

public class WarmUpCallsTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final int RANKS = 3;

  @Test(timeOut = 60_000)
  public void shouldHaveAllRanksMakeAsManyCalls() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(RANKS);
    try (Store store = new MemoryStore()) {
      List<Future<List<Integer>>> ranks = new ArrayList<>();
      for (int rank = 0; rank < RANKS; rank++) {
        WarmUpCalls warmUp = new WarmUpCalls(store, rank, RANKS, null, LONG);
        ranks.add(threads.submit(() -> List.of(calls(warmUp), calls(warmUp))));
      }
      List<Integer> first = ranks.get(0).get();
      assertTrue(first.get(0) > Settling.FIRST_CALLS, "calls: " + first);
      for (Future<List<Integer>> rank : ranks) {
        assertEquals(rank.get(), first);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test(timeOut = 60_000)
  public void shouldMakeTheCallsThatItIsTold() {
    try (Store store = new MemoryStore()) {
      for (int calls : List.of(0, 7, 20, 33)) {
        AtomicInteger made = new AtomicInteger();
        long cold =
            new WarmUpCalls(store, 1, RANKS, calls, LONG)
                .run(made::incrementAndGet)
                .getTotalCount();
        assertEquals(made.get(), calls);
        assertEquals(cold, Math.min(calls, Settling.FIRST_CALLS));
      }
    }
  }

  /** A rank that talks to itself: what it has told last is that there is no further batch. */
  @Test(timeOut = 60_000)
  public void shouldMeetInAFewCallsAfterTheRanksHaveTalked() {
    try (Store store = new MemoryStore()) {
      Store talk = store.within("bench-warm-up");
      AtomicInteger batch = new AtomicInteger();
      AtomicInteger late = new AtomicInteger();
      Runnable call =
          () -> {
            if (talk.get(batch.get() + 1 + "/next").isPresent()) {
              batch.incrementAndGet();
            }
            boolean isOver =
                talk.get(batch.get() + "/next")
                    .map(Ints::fromByteArray)
                    .filter(next -> next == 0)
                    .isPresent();
            late.addAndGet(isOver ? 1 : 0);
          };
      long unused = new WarmUpCalls(store, 0, 1, null, LONG).run(call).getTotalCount();
      assertEquals(late.get(), 5);
    }
  }

  private static int calls(WarmUpCalls warmUp) {
    AtomicInteger made = new AtomicInteger();
    long cold = warmUp.run(made::incrementAndGet).getTotalCount();
    assertEquals(cold, Settling.FIRST_CALLS);
    return made.get();
  }
}
