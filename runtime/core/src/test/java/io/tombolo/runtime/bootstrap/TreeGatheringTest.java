// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotNull;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.runtime.TestSeed;
import io.tombolo.runtime.store.EngineStore;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.testng.annotations.Test;

/** Ranks that come together by a tree. */
public final class TreeGatheringTest {
  private static final Duration LONG = Duration.ofSeconds(100);

  private static TreeGathering gathering(Store store, int rank, int size, Deadline deadline) {
    Occasion occasion = new Occasion("party", "invite them");
    return new TreeGathering(store.within("room"), rank, size, occasion, deadline);
  }

  private static byte[] given(int rank) {
    return ("rank " + rank).repeat(rank % 5).getBytes(UTF_8);
  }

  private static ImmutableList<byte[]> meet(Store store, int rank, int size, Duration limit) {
    return meet(gathering(store, rank, size, Deadline.after(limit)), rank);
  }

  private static ImmutableList<byte[]> meet(TreeGathering gathering, int rank) {
    gathering.give(given(rank));
    return gathering.awaitEach();
  }

  private static <T> CompletableFuture<T> onThread(Supplier<T> task) {
    return CompletableFuture.supplyAsync(task, run -> new Thread(run).start());
  }

  @Test(timeOut = 120_000)
  public void shouldGiveEveryoneWhatEachGave() {
    for (int size : new int[] {1, 2, 4, 5, 6, 21, 22, 60}) {
      Store store = new MemoryStore();
      List<CompletableFuture<ImmutableList<byte[]>>> ranks =
          IntStream.range(0, size)
              .mapToObj(rank -> onThread(() -> meet(store, rank, size, LONG)))
              .toList();
      for (CompletableFuture<ImmutableList<byte[]>> rank : ranks) {
        ImmutableList<byte[]> all = rank.join();
        assertEquals(all.size(), size);
        for (int other = 0; other < size; other++) {
          assertEquals(all.get(other), given(other));
        }
      }
    }
  }

  /** A clock that stands still until all have come that will. */
  private static final class Clock extends Ticker {
    private volatile long nowNs;

    @Override
    public long read() {
      return nowNs;
    }
  }

  @Test(timeOut = 120_000)
  public void shouldNameExactlyThoseThatDidNotComeOnAllThatDid() {
    Random random = new Random(TestSeed.drawn());
    for (int trial = 0; trial < 25; trial++) {
      int size = 2 + random.nextInt(40);
      int odds = 1 + random.nextInt(size);
      List<Integer> ranks = IntStream.range(0, size).boxed().toList();
      List<Integer> missing = ranks.stream().filter(rank -> random.nextInt(odds) == 0).toList();
      if (!missing.isEmpty()) {
        shouldName(missing, size);
      }
    }
  }

  private static void shouldName(List<Integer> missing, int size) {
    Store store = new MemoryStore();
    Clock clock = new Clock();
    Map<Integer, CompletableFuture<ImmutableList<byte[]>>> came = new TreeMap<>();
    for (int rank = 0; rank < size; rank++) {
      if (!missing.contains(rank)) {
        int self = rank;
        Deadline deadline = Deadline.after(clock, Duration.ofMillis(50));
        came.put(rank, onThread(() -> meet(gathering(store, self, size, deadline), self)));
      }
    }
    GatherTree tree = new GatherTree(size);
    for (int rank : came.keySet()) {
      String sign =
          tree.children(rank).isEmpty() ? GatherTree.bundleOf(rank) : GatherTree.comingOf(rank);
      assertNotNull(store.await("room/" + sign, Deadline.after(LONG)));
    }
    clock.nowNs = Duration.ofMillis(60).toNanos();
    String begin =
        "party: %s of %s ranks did not come within 50 ms: %s. "
            .formatted(missing.size(), size, Turnout.named(missing));
    came.forEach(
        (rank, future) -> {
          Throwable e = expectThrows(CompletionException.class, future::join).getCause();
          assertTrue(e instanceof DeadlineExceededException, e.toString());
          assertTrue(e.getMessage().startsWith(begin), rank + ": " + e.getMessage());
          assertTrue(e.getMessage().endsWith("invite them"), e.getMessage());
        });
  }

  @Test(timeOut = 120_000)
  public void shouldNameWhoHasComeAndHoldsTheOthersUp() {
    Store store = new MemoryStore();
    store.set("room/1", new byte[] {1});
    for (int rank = 2; rank < 6; rank++) {
      gathering(store, rank, 6, Deadline.after(LONG)).give(given(rank));
    }
    DeadlineExceededException e =
        expectThrows(
            DeadlineExceededException.class, () -> meet(store, 0, 6, Duration.ofMillis(50)));
    assertTrue(
        e.getMessage()
            .startsWith("party: all 6 ranks came, but of rank 1 nothing more was heard within 50"),
        e.getMessage());
  }

  @Test(timeOut = 120_000)
  public void shouldBelieveTheRankThatLooksForAllWhoIsMissing() {
    EngineStore engine = new EngineStore();
    EngineStore.Count count = new EngineStore.Count();
    Store others = engine.client(new EngineStore.Count());
    others.set("room/inspector/0", "7".getBytes(UTF_8));
    others.set("room/verdict/0", "0;3,501;".getBytes(UTF_8));
    DeadlineExceededException e =
        expectThrows(
            DeadlineExceededException.class,
            () -> meet(engine.client(count), 1, 10_000, Duration.ofMillis(5)));
    assertTrue(e.getMessage().contains("2 of 10000 ranks"), e.getMessage());
    assertTrue(e.getMessage().contains("ranks 3, 501. "), e.getMessage());
    assertTrue(count.operations() < 12, count.operations() + " operations");
  }

  @Test
  public void shouldRefuseABundleThatIsNone() {
    Random random = new Random(TestSeed.drawn());
    GatherTree tree = new GatherTree(9);
    List<byte[]> below = new ArrayList<>();
    for (int child : tree.children(0)) {
      List<byte[]> under =
          tree.children(child).stream()
              .map(rank -> RankBundle.merge(tree, rank, given(rank), List.of()))
              .toList();
      below.add(RankBundle.merge(tree, child, given(child), under));
    }
    byte[] whole = RankBundle.merge(tree, 0, given(0), below);
    assertEquals(RankBundle.all(tree, whole).size(), 9);
    for (GatherTree other : List.of(new GatherTree(8), new GatherTree(10))) {
      expectThrows(CorruptException.class, () -> RankBundle.all(other, whole));
    }
    expectThrows(CorruptException.class, () -> RankBundle.all(tree, new byte[0]));
    byte[] newer = whole.clone();
    newer[4] = 2;
    String message =
        expectThrows(MismatchException.class, () -> RankBundle.all(tree, newer)).getMessage();
    assertTrue(message.contains("version 2 of our protocol"), message);
    for (int trial = 0; trial < 2_000; trial++) {
      byte[] damaged = Arrays.copyOf(whole, whole.length - random.nextInt(2) * trial % 9);
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      try {
        assertEquals(RankBundle.all(tree, damaged).size(), 9);
      } catch (CorruptException | MismatchException e) {
        assertTrue(e.getMessage().contains("rank 0"), e.getMessage());
      }
    }
  }

  @Test
  public void shouldWriteRanksInRuns() {
    assertEquals(RankRanges.encode(List.of(0, 4, 5, 6, 9)), "0,4-6,9");
    assertEquals(RankRanges.decode("0,4-6,9"), List.of(0, 4, 5, 6, 9));
    for (String none : List.of("", "x", "3-1", "-1", "1-2-3", "0-99999999", "1,,2")) {
      expectThrows(CorruptException.class, () -> RankRanges.decode(none));
    }
  }
}
