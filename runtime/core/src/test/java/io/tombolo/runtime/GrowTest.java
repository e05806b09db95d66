// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.net.HostAndPort;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.UsageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.testng.annotations.Test;

/** Communicators that take new ranks in; the ranks are threads. */
public class GrowTest {
  /** Of waits for who does not come. */
  private static final Duration SHORT = Duration.ofSeconds(3);

  private static CompletableFuture<Communicator> newcomer(ThreadRanks job, Duration limit) {
    return ThreadRanks.later(
        () -> Communicator.builder().environment(job.newcomer().toVariables()).joinGrowing(limit));
  }

  private static List<Communicator> grown(
      List<Communicator> ranks, List<CompletableFuture<Communicator>> newcomers) {
    List<Communicator> old =
        ThreadRanks.onAll(ranks, each -> each.grow(newcomers.size(), ThreadRanks.LONG));
    List<Communicator> all = new ArrayList<>(old);
    Stream<Communicator> come = newcomers.stream().map(CompletableFuture::join);
    come.sorted((one, other) -> Integer.compare(one.rank(), other.rank())).forEach(all::add);
    for (int rank = 0; rank < all.size(); rank++) {
      assertEquals(all.get(rank).rank(), rank);
      assertEquals(all.get(rank).size(), all.size());
    }
    ThreadRanks.assertUsable(all);
    return all;
  }

  /** By two at first, which may come before or after; then by one more. */
  @Test(timeOut = 120_000)
  public void shouldTakeNewRanksIn() {
    try (ThreadRanks job = new ThreadRanks(2)) {
      List<Communicator> four =
          grown(
              job.all(), List.of(newcomer(job, ThreadRanks.LONG), newcomer(job, ThreadRanks.LONG)));
      List<Communicator> five = grown(four, List.of(newcomer(job, ThreadRanks.LONG)));
      ThreadRanks.closeAll(five);
      ThreadRanks.closeAll(four);
    }
  }

  /** Those that went on grow, in the job's store. */
  @Test(timeOut = 120_000)
  public void shouldGrowAfterItShrank() {
    try (ThreadRanks job = new ThreadRanks(3)) {
      job.all().get(0).abort();
      job.all().forEach(ThreadRanks::failureOf);
      job.all().get(1).close();
      List<Communicator> left = List.of(job.all().get(0), job.all().get(2));
      List<Communicator> two = ThreadRanks.onAll(left, each -> each.shrink(ThreadRanks.LONG));
      List<Communicator> three = grown(two, List.of(newcomer(job, ThreadRanks.LONG)));
      ThreadRanks.closeAll(three);
      ThreadRanks.closeAll(two);
    }
  }

  /** A new process is told where those that went on meet now. */
  @Test(timeOut = 120_000)
  public void shouldGrowAfterItLostItsStore() {
    try (ThreadRanks job = new ThreadRanks(3)) {
      HostAndPort before = lobbyOf(job.all());
      job.loseStore();
      job.all().forEach(ThreadRanks::failureOf);
      List<Communicator> three =
          ThreadRanks.onAll(job.all(), each -> each.shrink(ThreadRanks.LONG));
      HostAndPort lobby = lobbyOf(three);
      assertNotEquals(lobby, before);
      List<Communicator> four = grown(three, List.of(newcomer(job, lobby)));
      assertEquals(lobbyOf(four), lobby);
      ThreadRanks.closeAll(three);
      ThreadRanks.closeAll(job.all());
      ThreadRanks.assertUsable(four);
      ThreadRanks.closeAll(grown(four, List.of(newcomer(job, lobby))));
      ThreadRanks.closeAll(four);
    }
  }

  private static CompletableFuture<Communicator> newcomer(ThreadRanks job, HostAndPort lobby) {
    return ThreadRanks.later(
        () ->
            Communicator.builder()
                .environment(job.newcomer().toVariables())
                .store(lobby.getHost(), lobby.getPort())
                .joinGrowing(ThreadRanks.LONG));
  }

  private static HostAndPort lobbyOf(List<Communicator> ranks) {
    List<HostAndPort> lobbies =
        ranks.stream().flatMap(each -> each.lobbyAddress().stream()).distinct().toList();
    assertEquals(lobbies.size(), 1, lobbies.toString());
    return lobbies.get(0);
  }

  /** Nothing is lost: who came too early, or alone, can be taken the next time. */
  @Test(timeOut = 120_000)
  public void shouldGoOnAsItIsIfTooFewCome() {
    try (ThreadRanks job = new ThreadRanks(2)) {
      CompletableFuture<Communicator> first = newcomer(job, ThreadRanks.LONG);
      List<String> told =
          ThreadRanks.onAll(
              job.all(),
              each ->
                  expectThrows(DeadlineExceededException.class, () -> each.grow(2, SHORT).close())
                      .getMessage());
      String where = "MASTER_PORT of the store at 127.0.0.1:" + lobbyOf(job.all()).getPort();
      told.forEach(text -> assertTrue(text.contains("2 new processes were to come"), text));
      told.forEach(text -> assertTrue(text.contains(where), text));
      ThreadRanks.assertUsable(job.all());
      ThreadRanks.closeAll(grown(job.all(), List.of(first)));
    }
  }

  @Test(timeOut = 120_000)
  public void shouldTellWhoIsNotTakenIn() {
    try (ThreadRanks job = new ThreadRanks(1)) {
      CompletionException e =
          expectThrows(CompletionException.class, () -> newcomer(job, SHORT).join().close());
      assertEquals(e.getCause().getClass(), DeadlineExceededException.class);
      assertTrue(e.getMessage().contains("nobody has taken this process"), e.getMessage());
      // what it has withdrawn is not taken
      ThreadRanks.closeAll(grown(job.all(), List.of(newcomer(job, ThreadRanks.LONG))));
    }
  }

  @Test(timeOut = 120_000)
  public void shouldRefuseToGrowByNothingAndInPart() {
    try (ThreadRanks job = new ThreadRanks(1)) {
      Communicator only = job.all().get(0);
      expectThrows(UsageException.class, () -> only.grow(0, SHORT).close());
      try (Communicator part = only.duplicate()) {
        expectThrows(UsageException.class, () -> part.grow(1, SHORT).close());
      }
    }
  }
}
