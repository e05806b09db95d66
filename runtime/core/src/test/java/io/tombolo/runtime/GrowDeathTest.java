// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.ProcessStat;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.runtime.bootstrap.Applications;
import io.tombolo.runtime.bootstrap.JobRound;
import io.tombolo.runtime.bootstrap.RankClaim;
import io.tombolo.runtime.store.Store;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import org.testng.annotations.Test;

/**
 * A rank dies between the word that a communicator grows and its joining: the others hear which one
 * it was, and not that somebody did not come in time. The ranks are threads; the one that dies is a
 * process that has only said who it is.
 */
public class GrowDeathTest {
  private static RankClaim claim(Process process) {
    RankClaim here = RankClaim.ofThisProcess();
    long startTicks = ProcessStat.of(process.pid()).orElseThrow().startTicks();
    return new RankClaim(here.hostId(), here.space(), process.pid(), startTicks, 1);
  }

  private static Process process() throws IOException {
    return new ProcessBuilder("sleep", "600").start();
  }

  private static Store lobby(ThreadRanks job) {
    return MeetingPlace.of(job.newcomer()).lobby().get();
  }

  private static void assertTold(CompletableFuture<Communicator> growing, int rank, Process dead) {
    String told =
        expectThrows(CompletionException.class, () -> growing.join().close()).getMessage();
    assertTrue(told.contains("rank %s (pid %s ".formatted(rank, dead.pid())), told);
    assertTrue(told.contains("does not come: its process has ended"), told);
  }

  private static CompletableFuture<Communicator> grow(Communicator communicator) {
    return ThreadRanks.later(() -> communicator.grow(1, ThreadRanks.LONG));
  }

  private static CompletableFuture<Communicator> newcomer(ThreadRanks job) {
    return ThreadRanks.later(
        () ->
            Communicator.builder()
                .environment(job.newcomer().toVariables())
                .joinGrowing(ThreadRanks.LONG));
  }

  @Test(timeOut = 300_000)
  public void shouldTellOfANewProcess() throws Exception {
    Process dying = process();
    try (ThreadRanks job = new ThreadRanks(2);
        Store lobby = lobby(job)) {
      List<CompletableFuture<Communicator>> ranks =
          job.all().stream().map(GrowDeathTest::grow).toList();
      Applications.Ticket unused =
          new Applications(lobby).apply(claim(dying), Deadline.after(ThreadRanks.LONG));
      dying.destroyForcibly().waitFor();
      ranks.forEach(each -> assertTold(each, 2, dying));
    } finally {
      dying.destroyForcibly();
    }
  }

  @Test(timeOut = 300_000)
  public void shouldTellOfARankThatWasThere() throws Exception {
    Process dying = process();
    try (ThreadRanks job = new ThreadRanks(2);
        Store lobby = lobby(job)) {
      lobby.set(JobRound.claimOf(1), claim(dying).encode()); // and rank 1 itself does not grow
      CompletableFuture<Communicator> first = grow(job.all().get(0));
      CompletableFuture<Communicator> third = newcomer(job);
      dying.destroyForcibly().waitFor();
      assertTold(first, 1, dying);
      assertTold(third, 1, dying);
    } finally {
      dying.destroyForcibly();
    }
  }

  @Test(timeOut = 300_000)
  public void shouldTellANewProcessOfTheFirstRank() throws Exception {
    Process dying = process();
    try (ThreadRanks job = new ThreadRanks(1);
        Store lobby = lobby(job)) {
      CompletableFuture<Communicator> second = newcomer(job);
      Applications.Ticket unused =
          new Applications(lobby)
              .take(1, 1, claim(dying), Optional::empty, Deadline.after(ThreadRanks.LONG));
      dying.destroyForcibly().waitFor();
      assertTold(second, 0, dying);
    } finally {
      dying.destroyForcibly();
    }
  }

  /** What takes a failed rank's place may be here before anybody looks whether one has failed. */
  @Test(timeOut = 120_000)
  public void shouldTakeNobodyOnceAnOldRankHasFailed() {
    try (ThreadRanks job = new ThreadRanks(1);
        Store lobby = lobby(job)) {
      byte[] applicant = RankClaim.ofThisProcess().encode();
      lobby.set("application/0", applicant);
      assertEquals(lobby.add("applications", 1), 1);
      AbortedException failure = new AbortedException("it");
      AbortedException told =
          expectThrows(
              AbortedException.class,
              () ->
                  new Applications(lobby)
                      .take(
                          1,
                          2,
                          RankClaim.ofThisProcess(),
                          () -> Optional.of(failure),
                          Deadline.after(ThreadRanks.LONG)));
      assertSame(told, failure);
      assertEquals(lobby.get("application/0").orElseThrow(), applicant);
      assertEquals(lobby.get("ticket/0"), Optional.empty());
    }
  }

  /** Of two that were to come one has, and is free to be taken by others then. */
  @Test(timeOut = 120_000)
  public void shouldNotWaitForNewProcessesOnceAnOldRankHasFailed() {
    try (ThreadRanks job = new ThreadRanks(2);
        Store lobby = lobby(job)) {
      byte[] applicant = RankClaim.ofThisProcess().encode();
      lobby.set("application/0", applicant);
      assertEquals(lobby.add("applications", 1), 1);
      CompletableFuture<Communicator> first =
          ThreadRanks.later(() -> job.all().get(0).grow(2, Duration.ofHours(1)));
      while (Arrays.equals(lobby.get("application/0").orElseThrow(), applicant)) {
        LockSupport.parkNanos(1_000_000);
      }
      job.all().get(1).abort();
      String told =
          expectThrows(CompletionException.class, () -> first.join().close()).getMessage();
      assertTrue(told.contains("rank 1 aborted the communicator"), told);
      assertEquals(lobby.get("application/0").orElseThrow(), applicant);
    }
  }
}
