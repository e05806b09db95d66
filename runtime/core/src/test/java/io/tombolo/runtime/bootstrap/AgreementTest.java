// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.io.BaseEncoding;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.runtime.TestSeed;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public final class AgreementTest {
  private static final ImmutableSortedMap<String, String> FACTS =
      ImmutableSortedMap.of("clusters", "2", "segment_bytes", "4096");

  @Test
  public void shouldGiveTheDigestWhenAllAgree() {
    byte[] digest = Agreement.check(new MemoryStore(), "plan", 0, 1, FACTS, soon());
    assertEquals(
        BaseEncoding.base16().lowerCase().encode(digest),
        "189d4d2cbe378bc32e47061db44ca2de8b8a972f176c767934fc3c551b15a522");
    List<CompletableFuture<byte[]>> ranks = onRanks(List.of(FACTS, FACTS, FACTS));
    ranks.forEach(rank -> assertEquals(rank.join(), digest));
  }

  @DataProvider
  Object[][] differences() {
    return new Object[][] {
      {
        ImmutableSortedMap.of("clusters", "2", "segment_bytes", "8192"),
        "'segment_bytes' is '4096' on rank 0 and '8192' on rank 2"
      },
      {
        ImmutableSortedMap.of("segment_bytes", "4096"),
        "'clusters' is '2' on rank 0 and 'nothing' on rank 2"
      },
      {
        ImmutableSortedMap.of("clusters", "2", "lanes", "1", "segment_bytes", "4096"),
        "'lanes' is 'nothing' on rank 0 and '1' on rank 2"
      },
      {
        ImmutableSortedMap.of("clusters", "2", "segment_byte", "s4096"),
        "'segment_byte' is 'nothing' on rank 0 and 's4096' on rank 2"
      },
    };
  }

  @Test(dataProvider = "differences")
  public void shouldTellEveryRankTheKeyAndBothValuesWhenOneDiffers(
      ImmutableSortedMap<String, String> odd, String part) {
    for (CompletableFuture<byte[]> rank : onRanks(List.of(FACTS, FACTS, odd))) {
      Throwable cause = expectThrows(CompletionException.class, rank::join).getCause();
      assertTrue(cause instanceof MismatchException, cause.toString());
      assertTrue(cause.getMessage().contains("do not agree on plan: " + part), cause.getMessage());
    }
  }

  @Test
  public void shouldNameTheRanksThatDidNotCome() {
    Deadline deadline = Deadline.after(Duration.ofMillis(20));
    DeadlineExceededException e =
        expectThrows(
            DeadlineExceededException.class,
            () -> Agreement.check(new MemoryStore(), "plan", 1, 3, FACTS, deadline));
    assertTrue(e.getMessage().contains("agreement on plan: 2 of 3 ranks"), e.getMessage());
    assertTrue(e.getMessage().contains("ranks 0, 2."), e.getMessage());
  }

  @Test(timeOut = 120_000)
  public void shouldNameTheLowestOfSeveralThatDifferWhereverTheyAre() {
    ImmutableSortedMap<String, String> odd =
        ImmutableSortedMap.of("clusters", "2", "segment_bytes", "1");
    Random random = new Random(TestSeed.drawn());
    for (int trial = 0; trial < 10; trial++) {
      int size = 2 + random.nextInt(30);
      int first = 1 + random.nextInt(size - 1);
      List<ImmutableSortedMap<String, String>> facts =
          IntStream.range(0, size)
              .mapToObj(
                  rank -> rank == first || (rank > first && random.nextBoolean()) ? odd : FACTS)
              .toList();
      for (CompletableFuture<byte[]> rank : onRanks(facts)) {
        Throwable cause = expectThrows(CompletionException.class, rank::join).getCause();
        assertTrue(cause instanceof MismatchException, cause.toString());
        assertTrue(
            cause.getMessage().contains("'4096' on rank 0 and '1' on rank " + first + ";"),
            cause.getMessage());
      }
    }
  }

  private static List<CompletableFuture<byte[]>> onRanks(
      List<ImmutableSortedMap<String, String>> facts) {
    Store store = new MemoryStore();
    return IntStream.range(0, facts.size())
        .mapToObj(
            rank ->
                CompletableFuture.supplyAsync(
                    () ->
                        Agreement.check(store, "plan", rank, facts.size(), facts.get(rank), soon()),
                    task -> new Thread(task).start()))
        .toList();
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(60));
  }
}
