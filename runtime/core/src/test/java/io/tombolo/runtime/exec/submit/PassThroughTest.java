// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.device.HostStream;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.VendorException;
import io.tombolo.runtime.HeldCall;
import io.tombolo.runtime.TestSeed;
import io.tombolo.runtime.exec.run.LocalJob;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import io.tombolo.runtime.work.WorkStage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Factory;
import org.testng.annotations.Test;

/** Calls that block, to a library whose calls block: what is made on whose thread, and when. */
public class PassThroughTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(400);
  private static final CallOptions BLOCKING = CallOptions.BLOCKING;
  private static final CallOptions SOON =
      new CallOptions(Optional.empty(), true, false, CallOptions.Returns.SOON);

  private final boolean board;

  /** A call on a thread of its own, and the thread. */
  private record Call(Thread thread, FutureTask<Work> result) {
    static Call of(Callable<Work> action) {
      FutureTask<Work> result = new FutureTask<>(action);
      Thread thread = new Thread(result, "caller");
      thread.setDaemon(true);
      thread.start();
      return new Call(thread, result);
    }

    Work get() throws InterruptedException, ExecutionException, TimeoutException {
      return result.get(LONG.toSeconds(), TimeUnit.SECONDS);
    }
  }

  @DataProvider
  public static Object[][] boards() {
    return new Object[][] {{true}, {false}};
  }

  /** The same tests with votes on a board and votes over channels. */
  @Factory(dataProvider = "boards")
  public PassThroughTest(boolean board) {
    this.board = board;
  }

  private LocalJob job(String word, Duration timeout) {
    return new LocalJob(word, timeout, board, Flag.BLOCKING_CALLS, Flag.ABORT);
  }

  private static Call blocking(LocalJob job, int rank, int count) {
    return Call.of(() -> job.submitBeside(rank, 0, count, BLOCKING));
  }

  @Test
  public void shouldCallTheLibraryOnTheCallersThread() throws Exception {
    try (LocalJob job = job("aaa", LONG)) {
      for (int count : new int[] {1, 61, 20_000}) {
        List<Call> calls = new ArrayList<>();
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
      Call early = blocking(job, 0, 100);
      HeldCall.awaitIn(early.thread(), CallerWaits.class, "awaitQuietly");
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
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    Call.of(() -> holdAgent(job, held, released));
    awaitQuietly(held);
    Call early = blocking(job, 0, 100);
    Call other;
    try {
      HeldCall.awaitIn(early.thread(), CallerWaits.class, "awaitQuietly");
      other = blocking(job, 1, 100);
      if (isShown) {
        awaitCallOf(1, job);
      } else {
        HeldCall.awaitIn(other.thread(), CallerWaits.class, "awaitQuietly");
        Thread.sleep(50); // fixed time: in which it would have seen a vote, and called
        assertEquals(job.vendorCallers(1), List.of());
      }
      assertEquals(job.vendorCallers(0), List.of());
    } finally {
      released.countDown();
    }
    early.get().await(LONG);
    other.get().await(LONG);
    job.checkSumsBeside(0, 100);
    assertEquals(job.vendorOffers(0) + job.vendorOffers(1), 2);
  }

  @Test
  public void shouldOfferItsPartBeforeTheOthersHaveCome() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      Call early = blocking(job, 0, 100);
      HeldCall.awaitIn(early.thread(), CallerWaits.class, "awaitQuietly");
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
      Call first = blocking(job, 0, 100);
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
      Call first = blocking(job, 0, 100);
      HeldCall.awaitIn(first.thread(), CallerWaits.class, "awaitQuietly");
      Call second = Call.of(() -> job.submitBeside(0, 1, 50, BLOCKING));
      HeldCall.awaitIn(second.thread(), CallerWaits.class, "awaitQuietly");
      assertEquals(job.vendorOffers(0), 1);
      blocking(job, 1, 100).get().await(LONG);
      Call.of(() -> job.submitBeside(1, 1, 50, BLOCKING)).get().await(LONG);
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
      Call first = Call.of(() -> job.submitBeside(0, 0, 100, timed));
      Call second = Call.of(() -> job.submitBeside(1, 0, 100, timed));
      for (Call call : List.of(first, second)) {
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
      Call late = blocking(job, 0, 100);
      Call other = blocking(job, 1, 100);
      HeldCall.awaitIn(late.thread(), CallerWaits.class, "awaitQuietly");
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
      Call second = blocking(job, 0, 100);
      Work otherFirst = job.submitBeside(1, 1, 50);
      Call otherSecond = blocking(job, 1, 100);
      HeldCall.awaitIn(second.thread(), CallerWaits.class, "awaitQuietly");
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
      List<Call> ranks = new ArrayList<>();
      for (int rank = 0; rank < 3; rank++) {
        int self = rank;
        Random shared = new Random(seed); // sizes and streams, which all ranks agree about
        Random own = new Random(seed + rank + 1);
        ranks.add(Call.of(() -> callAnyhow(job, self, shared, own)));
      }
      for (Call rank : ranks) {
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
  public void shouldNameAMismatchBeforeAnythingIsCalled() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      Call one = blocking(job, 0, 100);
      Call other = blocking(job, 1, 101);
      for (Call call : List.of(one, other)) {
        TomboloException failure = failureOf(call.get());
        assertTrue(
            failure.getMessage().contains("rank 0 called all_reduce of 100 f32 by sum, but rank 1"),
            failure.getMessage());
        assertEquals(failure.getClass(), MismatchException.class);
        assertTrue(call.get().buffersReleased());
      }
      assertEquals(job.vendorCallers(0), List.of());
      assertEquals(job.vendorCallers(1), List.of());
      assertEquals(job.vendorOffers(0) + job.vendorOffers(1), 2);
    }
  }

  @Test
  public void shouldNameThePeerThatNeverComesAndNotEnterTheLibrary() throws Exception {
    try (LocalJob job = job("aaa", SHORT)) {
      Call one = blocking(job, 0, 100);
      Call two = blocking(job, 1, 100);
      TomboloException failure = failureOf(one.get());
      assertEquals(failure.getClass(), DeadlineExceededException.class);
      assertTrue(failure.getMessage().contains("no vote from rank 2"), failure.getMessage());
      assertTrue(one.get().buffersReleased());
      assertEquals(failureOf(two.get()).getClass(), DeadlineExceededException.class);
      assertEquals(job.vendorCallers(0), List.of());
    }
  }

  @Test
  public void shouldEndTheCallAtItsDeadlineWhereTheLibraryCanAbort() throws Exception {
    try (LocalJob job = job("aa", SHORT)) {
      Call stuck = enterAlone(job, new CountDownLatch(1));
      TomboloException failure = failureOf(stuck.get());
      assertEquals(failure.getClass(), DeadlineExceededException.class);
      assertTrue(
          failure.getMessage().contains("which the caller's thread is in"), failure.getMessage());
      assertFalse(stuck.get().buffersReleased());
    }
  }

  @DataProvider
  public static Object[][] ways() {
    return new Object[][] {{BLOCKING}, {CallOptions.STANDARD}};
  }

  /** As the host's library says, which cannot always keep another member from writing on. */
  @Test(dataProvider = "ways")
  public void shouldKeepBuffersThatAnotherMemberMayStillWriteAfterTheLibrarysCall(CallOptions way)
      throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      job.failVendor(0, new VendorException("another member may still write the buffers", 7));
      Call failing = Call.of(() -> job.submitBeside(0, 0, 100, way));
      blocking(job, 1, 100).get();
      Work work = failing.get();
      TomboloException told = expectThrows(TomboloException.class, () -> work.await(LONG));
      assertTrue(told.getMessage().contains("may still write"), told.toString());
      assertFalse(work.buffersReleased());
    }
  }

  @Test
  public void shouldEndTheCallWhenAnotherThreadAborts() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      Call stuck = enterAlone(job, new CountDownLatch(1));
      job.abort(0);
      assertEquals(failureOf(stuck.get()).getClass(), AbortedException.class);
      assertFalse(stuck.get().buffersReleased());
    }
  }

  @Test
  public void shouldEndTheCallWhenAnotherThreadCloses() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      Call stuck = enterAlone(job, new CountDownLatch(1));
      job.closeExecutor(0);
      TomboloException failure = failureOf(stuck.get());
      assertTrue(
          failure.getMessage().contains("closed with operations under way"), failure.getMessage());
    }
  }

  @Test
  public void shouldKeepLaterCallsOutOfTheLibraryWhileACallerIsInIt() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      CountDownLatch produced = new CountDownLatch(1);
      Call alone = enterAlone(job, produced);
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

  @Test
  public void shouldGoOnWithTheOperationWhenItsCallerIsInterrupted() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      Call interrupted = blocking(job, 0, 100);
      HeldCall.awaitIn(interrupted.thread(), PassThrough.class, "call");
      interrupted.thread().interrupt();
      assertFalse(interrupted.get().isDone());
      blocking(job, 1, 100).get().await(SHORT);
      interrupted.get().await(LONG);
      job.checkSumsBeside(0, 100);
      assertEquals(job.vendorOffers(0), 1);
    }
  }

  /** The agent comes round only when the caller has its result and the peers have left. */
  @Test
  public void shouldNotMindPeersThatLeaveAfterTheCallersCall() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      CountDownLatch produced = new CountDownLatch(1);
      Call alone = enterAlone(job, produced);
      CountDownLatch held = new CountDownLatch(1);
      CountDownLatch gone = new CountDownLatch(1);
      Call agent =
          Call.of(
              () -> {
                job.runOnAgent(
                    0,
                    () -> {
                      held.countDown();
                      awaitQuietly(gone);
                    });
                return null;
              });
      awaitQuietly(held);
      produced.countDown();
      alone.get().await(LONG);
      job.breakLinks(0);
      gone.countDown();
      agent.get();
      job.runOnAgent(0, () -> {}); // a whole round
      job.runOnAgent(0, () -> {});
      assertEquals(job.failure(0), Optional.empty());
      job.checkSumsBeside(0, 0, 100);
    }
  }

  @Test
  public void shouldCarryOutWhatEndsSoonOnTheCallersThread() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      carryOutSoon(job);
    }
  }

  @Test
  public void shouldTakeACallerThatMayBeKeptIntoALibraryThatCannotAbort() throws Exception {
    try (LocalJob job = new LocalJob("aa", LONG, board, true, Flag.BLOCKING_CALLS)) {
      carryOutSoon(job);
    }
  }

  /** On the caller's thread. */
  private static void carryOutSoon(LocalJob job) throws Exception {
    boolean itself = false;
    for (int i = 0; i < 100 && !itself; i++) { // where the other is late, it has help
      Call other = blocking(job, 1, 100);
      Call one = Call.of(() -> job.submitBeside(0, 0, 100, SOON));
      one.get().await(LONG);
      other.get().await(LONG);
      itself = job.vendorCallers(0).contains(one.thread());
      job.checkSumsBeside(0, 100);
    }
    assertTrue(itself);
  }

  @Test
  public void shouldGoOnWithoutTheCallerWhereItDoesNotEndSoon() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      Work work = Call.of(() -> job.submitBeside(0, 0, 100, SOON)).get();
      assertFalse(work.isDone());
      blocking(job, 1, 100).get().await(LONG);
      work.await(LONG);
      job.checkSumsBeside(0, 100);
    }
  }

  @Test
  public void shouldSendADeputyIntoALibraryThatCannotAbort() throws Exception {
    try (LocalJob job = new LocalJob("aa", LONG, board, Flag.BLOCKING_CALLS)) {
      boolean ended = false;
      for (int i = 0; i < 100 && !ended; i++) { // where the other is late, the caller goes on
        Call other = blocking(job, 1, 100);
        HeldCall.awaitIn(other.thread(), CallerWaits.class, "awaitQuietly");
        AtomicBoolean isDone = new AtomicBoolean();
        Call one =
            Call.of(
                () -> {
                  Work work = job.submitBeside(0, 0, 100, SOON);
                  isDone.set(work.isDone());
                  return work;
                });
        Work work = one.get();
        work.await(LONG);
        other.get().await(LONG);
        ended = isDone.get();
        assertTrue(((SubmittedOperation) work).isCallers(), "it was queued");
        assertFalse(job.vendorCallers(0).contains(one.thread()));
        job.checkSumsBeside(0, 100);
      }
      assertTrue(ended);
    }
  }

  private static Work holdAgent(LocalJob job, CountDownLatch held, CountDownLatch released) {
    job.runOnAgent(
        0,
        () -> {
          held.countDown();
          awaitQuietly(released);
        });
    return null;
  }

  @Test
  public void shouldLetACallerGoOnWhoseDeputyIsInTheLibrary() throws Exception {
    CountDownLatch produced = new CountDownLatch(1);
    try (LocalJob job = new LocalJob("aa", LONG, board, Flag.BLOCKING_CALLS)) {
      ((HostStream) job.streamBeside(1, 0)).enqueue(() -> awaitQuietly(produced));
      job.submitBeside(1, 0, 100);
      Work work = Call.of(() -> job.submitBeside(0, 0, 100, SOON)).get();
      awaitCallOf(0, job);
      assertFalse(work.isDone());
      Call next = Call.of(() -> job.submitBeside(0, 1, 61, SOON));
      Work later = next.get();
      assertFalse(later.isDone(), "the library has one call at a time");
      produced.countDown();
      work.await(LONG);
      job.submitBeside(1, 1, 61).await(LONG);
      later.await(LONG);
      job.checkSumsBeside(0, 100);
      job.checkSumsBeside(1, 61);
    } finally {
      produced.countDown();
    }
  }

  @Test
  public void shouldLetACallerGoWhoIsInterruptedWhileItsDeputyWaits() throws Exception {
    try (LocalJob job = new LocalJob("aa", LONG, board, Flag.BLOCKING_CALLS)) {
      long shortestNs = Long.MAX_VALUE; // on a busy machine one may be late
      for (int i = 0; i < 10; i++) {
        long[] tookNs = new long[1];
        Work work =
            Call.of(
                    () -> {
                      Thread.currentThread().interrupt();
                      long begunNs = System.nanoTime();
                      Work begun = job.submitBeside(0, 0, 100, SOON);
                      tookNs[0] = System.nanoTime() - begunNs;
                      assertTrue(Thread.currentThread().isInterrupted());
                      return begun;
                    })
                .get();
        assertFalse(work.isDone());
        blocking(job, 1, 100).get().await(LONG);
        work.await(LONG);
        job.checkSumsBeside(0, 100);
        shortestNs = Math.min(shortestNs, tookNs[0]);
      }
      assertTrue(shortestNs < 50_000_000, shortestNs + " ns: it waits for the deputy all the same");
    }
  }

  /**
   * Rank 0 is in the library; rank 1 has called, but its stream does not get there until {@code
   * produced}.
   */
  private static Call enterAlone(LocalJob job, CountDownLatch produced)
      throws InterruptedException {
    ((HostStream) job.streamBeside(1, 0)).enqueue(() -> awaitQuietly(produced));
    job.submitBeside(1, 0, 100);
    Call alone = blocking(job, 0, 100);
    awaitCallOf(0, job);
    assertEquals(job.vendorCallers(0), List.of(alone.thread()));
    return alone;
  }

  private static void awaitCallOf(int rank, LocalJob job) throws InterruptedException {
    Deadline deadline = Deadline.after(LONG);
    while (job.vendorCallers(rank).isEmpty()) {
      assertFalse(deadline.isExpired(), "rank " + rank + " does not call");
      Thread.sleep(1);
    }
  }

  private static TomboloException failureOf(Work work) {
    return work.error().orElseThrow();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
