// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import static io.tombolo.runtime.exec.submit.BlockingCalls.BLOCKING;
import static io.tombolo.runtime.exec.submit.BlockingCalls.LONG;
import static io.tombolo.runtime.exec.submit.BlockingCalls.SHORT;
import static io.tombolo.runtime.exec.submit.BlockingCalls.awaitCallOf;
import static io.tombolo.runtime.exec.submit.BlockingCalls.awaitQuietly;
import static io.tombolo.runtime.exec.submit.BlockingCalls.blocking;
import static io.tombolo.runtime.exec.submit.BlockingCalls.enterAlone;
import static io.tombolo.runtime.exec.submit.BlockingCalls.holdAgent;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.device.HostStream;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.Deadline;
import io.tombolo.runtime.HeldCall;
import io.tombolo.runtime.TestSeed;
import io.tombolo.runtime.exec.run.LocalJob;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import io.tombolo.runtime.work.WorkStage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.testng.annotations.Factory;
import org.testng.annotations.Test;

/** Calls that block, to a library whose calls block: what is made on whose thread, and when. */
public class PassThroughTest {
  private final boolean board;

  /** The same tests with votes on a board and votes over channels. */
  @Factory(dataProvider = "boards", dataProviderClass = BlockingCalls.class)
  public PassThroughTest(boolean board) {
    this.board = board;
  }

  private LocalJob job(String word, Duration timeout) {
    return new LocalJob(word, timeout, board, Flag.BLOCKING_CALLS, Flag.ABORT);
  }

  @Test
  public void shouldCallTheLibraryOnTheCallersThread() throws Exception {
    try (LocalJob job = job("aaa", LONG)) {
      for (int count : new int[] {1, 61, 20_000}) {
        List<HeldCall<Work>> calls = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
          calls.add(blocking(job, rank, count));
        }
        for (int rank = 0; rank < 3; rank++) {
          Work work = calls.get(rank).get();
          assertTrue(work.isDone() && work.buffersReleased());
          assertTrue(work.durationNs() > 0);
          assertEquals(work.bytes().intraBytes(), 4L * count);
          work.await(SHORT);
          List<Thread> callers = job.vendorCallers(rank);
          assertEquals(callers.get(callers.size() - 1), calls.get(rank).thread());
        }
        job.checkSumsBeside(0, count);
      }
      assertEquals(job.activity(0).votes(), 3);
    }
  }

  /** On a board each vote is seen by itself; a message may be anything. */
  @Test
  public void shouldHaveNothingToFindWhileVotesAreLackingOnABoard() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      assertTrue(lookedAt(job), "nothing is under way");
      HeldCall<Work> early = blocking(job, 0, 100);
      early.awaitIn(CallerWaits.class, "awaitQuietly");
      Deadline deadline = Deadline.after(LONG);
      while (board && lookedAt(job)) {
        assertFalse(deadline.isExpired(), "the vote does not begin");
      }
      assertEquals(lookedAt(job), !board);
      blocking(job, 1, 100).get().await(LONG);
      early.get().await(LONG);
      job.runOnAgent(0, () -> {}); // a whole round
      assertTrue(lookedAt(job), "it has been found");
    }
  }

  private static boolean lookedAt(LocalJob job) {
    AtomicBoolean found = new AtomicBoolean();
    job.runOnAgent(0, () -> found.set(job.mayHaveNews(0)));
    return found.get();
  }

  @Test
  public void shouldShowItsVoteBeforeARoundIsMade() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      voteWithoutARound(job, board); // votes that are messages go in rounds only
    }
  }

  /** Whoever is stuck before it calls would keep the others in there for ever. */
  @Test
  public void shouldVoteInARoundOnlyWhereTheLibraryKeepsWhoIsInIt() throws Exception {
    try (LocalJob job = new LocalJob("aa", LONG, board, Flag.BLOCKING_CALLS)) {
      voteWithoutARound(job, false);
    }
  }

  /**
   * Rank 0's agent is held, so nobody makes rounds there. {@code isShown}: rank 1 sees its caller's
   * vote all the same, and goes into the library.
   */
  private static void voteWithoutARound(LocalJob job, boolean isShown) throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    HeldCall<Void> agent = holdAgent(job, released);
    HeldCall<Work> early = blocking(job, 0, 100);
    HeldCall<Work> other;
    try {
      early.awaitIn(CallerWaits.class, "awaitQuietly");
      other = blocking(job, 1, 100);
      if (isShown) {
        awaitCallOf(1, job);
      } else {
        other.awaitIn(CallerWaits.class, "awaitQuietly");
        Thread.sleep(50); // fixed time: in which it would have seen a vote, and called
        assertEquals(job.vendorCallers(1), List.of());
      }
      assertEquals(job.vendorCallers(0), List.of());
    } finally {
      released.countDown();
    }
    agent.get();
    early.get().await(LONG);
    other.get().await(LONG);
    job.checkSumsBeside(0, 100);
    assertEquals(job.vendorOffers(0) + job.vendorOffers(1), 2);
  }

  @Test
  public void shouldOfferItsPartBeforeTheOthersHaveCome() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      HeldCall<Work> early = blocking(job, 0, 100);
      early.awaitIn(CallerWaits.class, "awaitQuietly");
      assertEquals(job.vendorOffers(0), 1);
      assertEquals(job.vendorCallers(0), List.of());
      blocking(job, 1, 100).get().await(SHORT);
      early.get().await(SHORT);
      job.checkSumsBeside(0, 100);
      assertEquals(job.vendorOffers(1), 1);
    }
  }

  @Test
  public void shouldOfferNothingToALibraryThatTakesNone() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      job.takeNoOffers(0);
      HeldCall<Work> first = blocking(job, 0, 100);
      blocking(job, 1, 100).get().await(LONG);
      first.get().await(LONG);
      job.checkSumsBeside(0, 100);
      assertEquals(job.vendorOffers(0), 0);
      assertEquals(job.vendorOffers(1), 1);
    }
  }

  /** The library has other calls before that one, which must not find it. */
  @Test
  public void shouldOfferNothingWhileAnotherOperationIsUnderWay() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      HeldCall<Work> first = blocking(job, 0, 100);
      first.awaitIn(CallerWaits.class, "awaitQuietly");
      HeldCall<Work> second = HeldCall.start(() -> job.submitBeside(0, 1, 50, BLOCKING));
      second.awaitIn(CallerWaits.class, "awaitQuietly");
      assertEquals(job.vendorOffers(0), 1);
      blocking(job, 1, 100).get().await(LONG);
      HeldCall.start(() -> job.submitBeside(1, 1, 50, BLOCKING)).get().await(LONG);
      first.get().await(LONG);
      second.get().await(LONG);
      job.checkSumsBeside(0, 100);
      job.checkSumsBeside(1, 50);
    }
  }

  @Test
  public void shouldTellHowLongItWasInTheLibrary() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      CallOptions timed = BLOCKING.withTiming();
      HeldCall<Work> first = HeldCall.start(() -> job.submitBeside(0, 0, 100, timed));
      HeldCall<Work> second = HeldCall.start(() -> job.submitBeside(1, 0, 100, timed));
      for (HeldCall<Work> call : List.of(first, second)) {
        Work work = call.get();
        assertTrue(work.times().containsKey(WorkStage.VENDOR), work.times().toString());
        assertTrue(work.spans().stream().anyMatch(span -> span.stage() == WorkStage.VENDOR));
      }
    }
  }

  @Test
  public void shouldWaitForWhatIsPendingOnTheStreamAndLetGoOfWhatComesAfter() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      CountDownLatch produced = new CountDownLatch(1);
      HostStream stream = (HostStream) job.streamBeside(0, 0);
      stream.enqueue(() -> awaitQuietly(produced));
      HeldCall<Work> late = blocking(job, 0, 100);
      HeldCall<Work> other = blocking(job, 1, 100);
      late.awaitIn(CallerWaits.class, "awaitQuietly");
      assertEquals(job.vendorCallers(0), List.of());
      produced.countDown();
      late.get().await(SHORT);
      other.get().await(SHORT);
      CountDownLatch consumed = new CountDownLatch(1);
      stream.enqueue(consumed::countDown);
      assertTrue(consumed.await(LONG.toSeconds(), TimeUnit.SECONDS));
      assertNotEquals(job.vendorCallers(0), List.of(late.thread()));
      job.checkSumsBeside(0, 100);
    }
  }

  @Test
  public void shouldComeAfterEarlierCallsOnOtherStreams() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      CountDownLatch produced = new CountDownLatch(1);
      ((HostStream) job.streamBeside(0, 1)).enqueue(() -> awaitQuietly(produced));
      Work first = job.submitBeside(0, 1, 50);
      HeldCall<Work> second = blocking(job, 0, 100);
      Work otherFirst = job.submitBeside(1, 1, 50);
      HeldCall<Work> otherSecond = blocking(job, 1, 100);
      second.awaitIn(CallerWaits.class, "awaitQuietly");
      assertFalse(first.isDone());
      produced.countDown();
      second.get().await(SHORT);
      otherSecond.get().await(SHORT);
      first.await(LONG);
      otherFirst.await(LONG);
      job.checkSumsBeside(1, 50);
      job.checkSumsBeside(0, 100);
    }
  }

  @Test
  public void shouldKeepTheOrderOfCallsHoweverEachRankMakesThem() throws Exception {
    long seed = TestSeed.drawn();
    try (LocalJob job = job("aaa", LONG)) {
      List<HeldCall<Work>> ranks = new ArrayList<>();
      for (int rank = 0; rank < 3; rank++) {
        int self = rank;
        Random shared = new Random(seed); // sizes and streams, which all ranks agree about
        Random own = new Random(seed + rank + 1);
        ranks.add(HeldCall.start(() -> callAnyhow(job, self, shared, own)));
      }
      for (HeldCall<Work> rank : ranks) {
        rank.get().await(LONG);
      }
      assertEquals(job.activity(0).operations(), 300);
    }
  }

  /** Makes calls one after the other, each in a way of its own. */
  private static Work callAnyhow(LocalJob job, int rank, Random shared, Random own) {
    Work last = null;
    for (int i = 0; i < 300; i++) {
      int count = 1 + shared.nextInt(500);
      int side = shared.nextInt(2);
      last =
          job.submitBeside(rank, side, count, own.nextBoolean() ? BLOCKING : CallOptions.STANDARD);
      if (own.nextInt(4) > 0) {
        last.await(LONG);
        if (own.nextInt(3) == 0) {
          job.checkSumsBeside(rank, side, count);
        }
      }
    }
    return last;
  }

  @Test
  public void shouldKeepLaterCallsOutOfTheLibraryWhileACallerIsInIt() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      CountDownLatch produced = new CountDownLatch(1);
      HeldCall<Work> alone = enterAlone(job, produced);
      Work later = job.submitBeside(0, 1, 50);
      Work othersLater = job.submitBeside(1, 1, 50);
      Thread.sleep(50); // fixed time: a call that should not be made shows only then
      assertEquals(job.vendorCallers(0), List.of(alone.thread()));
      produced.countDown();
      alone.get().await(SHORT);
      later.await(LONG);
      othersLater.await(LONG);
      job.checkSumsBeside(0, 100);
      job.checkSumsBeside(1, 50);
    }
  }
}
