// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.NoQuorumException;
import io.tombolo.base.errors.UsageException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.testng.annotations.Test;

/** What the ranks of a communicator agree on; the ranks are threads. */
public class AgreeTest {
  private static final Duration SHORT = Duration.ofMillis(500);

  /** Rank {@code r} brings all bits but bit {@code r}. */
  private static Agreed agree(Communicator each, Duration limit) {
    return each.agree(~(1L << each.rank()), limit);
  }

  private static void assertAgreed(List<Communicator> ranks, Integer... expected) {
    Set<Agreed> all = Set.copyOf(ThreadRanks.onAll(ranks, each -> agree(each, ThreadRanks.LONG)));
    long flags =
        IntStream.range(0, expected.length)
            .mapToLong(i -> ~(1L << expected[i]))
            .reduce(-1, (a, b) -> a & b);
    assertEquals(all.stream().map(Agreed::flags).collect(Collectors.toSet()), Set.of(flags));
    assertEquals(
        all.stream().map(agreed -> List.copyOf(agreed.ranks())).collect(Collectors.toSet()),
        Set.of(List.of(expected)));
  }

  @Test(timeOut = 120_000)
  public void shouldAgreeAgainAndAgain() {
    try (ThreadRanks job = new ThreadRanks(3)) {
      for (int time = 0; time < 5; time++) {
        assertAgreed(job.all(), 0, 1, 2);
      }
      ThreadRanks.assertUsable(job.all());
    }
  }

  @Test(timeOut = 120_000)
  public void shouldAgreeAfterAFailureAndWithoutTheStore() {
    try (ThreadRanks job = new ThreadRanks(3)) {
      job.all().get(1).abort();
      job.all().forEach(ThreadRanks::failureOf);
      assertAgreed(job.all(), 0, 1, 2);
      job.loseStore();
      assertAgreed(job.all(), 0, 1, 2);
    }
  }

  /** Each by the ranks of its own group. */
  @Test(timeOut = 120_000)
  public void shouldAgreeInEachPart() {
    try (ThreadRanks job = new ThreadRanks(4)) {
      List<Communicator> parts =
          ThreadRanks.onAll(
              job.all(), each -> each.split(each.rank() % 2, -each.rank()).orElseThrow());
      List<Agreed> agreed = ThreadRanks.onAll(parts, each -> agree(each, ThreadRanks.LONG));
      agreed.forEach(each -> assertEquals(each, agreed.get(0)));
      assertEquals(agreed.get(0).flags(), ~3L);
      assertEquals(List.copyOf(agreed.get(0).ranks()), List.of(0, 1));
      ThreadRanks.closeAll(parts);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldAgreeWithoutWhoComesTooLateAndTellIt() {
    try (ThreadRanks job = new ThreadRanks(3)) {
      List<Communicator> early = job.all().subList(0, 2);
      List<Agreed> agreed = ThreadRanks.onAll(early, each -> agree(each, SHORT));
      agreed.forEach(each -> assertEquals(List.copyOf(each.ranks()), List.of(0, 1)));
      Communicator late = job.all().get(2);
      DeadlineExceededException e =
          expectThrows(DeadlineExceededException.class, () -> agree(late, SHORT).flags());
      assertTrue(
          e.getMessage().startsWith("rank 2 came too late to agree: ranks [0, 1] of 3 do so"),
          e.getMessage());
      assertAgreed(job.all(), 0, 1, 2);
    }
  }

  /** Without waiting for one that has left, which no longer hosts its acceptor. */
  @Test(timeOut = 120_000)
  public void shouldNotWaitForWhoHasLeft() {
    try (ThreadRanks job = new ThreadRanks(3)) {
      job.all().get(0).abort();
      job.all().forEach(ThreadRanks::failureOf);
      job.all().get(2).close();
      job.loseStore();
      List<Agreed> agreed =
          ThreadRanks.onAll(job.all().subList(0, 2), each -> agree(each, Duration.ofHours(1)));
      agreed.forEach(each -> assertEquals(List.copyOf(each.ranks()), List.of(0, 1)));
    }
  }

  @Test(timeOut = 120_000)
  public void shouldNotAgreeWithoutAMajority() {
    try (ThreadRanks job = new ThreadRanks(3)) {
      job.all().get(0).abort();
      job.all().forEach(ThreadRanks::failureOf);
      job.all().get(1).close();
      job.all().get(2).close();
      NoQuorumException e =
          expectThrows(NoQuorumException.class, () -> agree(job.all().get(0), SHORT).flags());
      assertTrue(e.getMessage().contains("only 1 of 3 acceptors answered"), e.getMessage());
      expectThrows(UsageException.class, () -> agree(job.all().get(1), SHORT).flags());
    }
  }
}
