// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.base.Splitter;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostStream;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.TestSeed;
import io.tombolo.runtime.exec.run.LocalJob;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Factory;
import org.testng.annotations.Test;

/** Calls that go straight onto their caller's stream, while the ranks vote. */
public class StreamPassTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(400);
  private static final long LIMIT_MS = 120_000;

  private final boolean board;

  @DataProvider
  public static Object[][] boards() {
    return new Object[][] {{true}, {false}};
  }

  /** The same tests with votes on a board and votes over channels. */
  @Factory(dataProvider = "boards")
  public StreamPassTest(boolean board) {
    this.board = board;
  }

  private LocalJob job(String word, Duration timeout) {
    return new LocalJob(word, timeout, board, Flag.ABORT, Flag.MISMATCH_IS_FATAL);
  }

  private static Thread threadOf(Stream stream) throws Exception {
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    ((HostStream) stream).enqueue(() -> thread.complete(Thread.currentThread()));
    return thread.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldQueueTheCallOnTheCallersStream() throws Exception {
    try (LocalJob job = job("aaa", LONG)) {
      for (int count : new int[] {1, 61, 20_000}) {
        List<Work> works = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
          works.add(job.submitBeside(rank, 0, count));
        }
        for (int rank = 0; rank < 3; rank++) {
          works.get(rank).await(LONG);
          assertTrue(works.get(rank).buffersReleased());
          assertTrue(works.get(rank).durationNs() > 0);
          assertEquals(works.get(rank).bytes().intraBytes(), 4L * count);
          List<Thread> callers = job.vendorCallers(rank);
          assertEquals(
              callers.get(callers.size() - 1), threadOf(job.streamBeside(rank, 0)), "rank " + rank);
        }
        job.checkSumsBeside(0, count);
      }
      assertEquals(job.activity(0).votes(), 3);
    }
  }

  /** Only the stream is asked, as programs do that know of no work. */
  @Test(timeOut = LIMIT_MS)
  public void shouldHaveTheStreamGoOnByItself() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      CountDownLatch produced = new CountDownLatch(1);
      HostStream stream = (HostStream) job.streamBeside(0, 0);
      stream.enqueue(() -> awaitQuietly(produced));
      Work late = job.submitBeside(0, 0, 100);
      Work other = job.submitBeside(1, 0, 100);
      assertEquals(job.vendorCallers(0), List.of());
      CountDownLatch consumed = new CountDownLatch(2);
      stream.enqueue(consumed::countDown);
      ((HostStream) job.streamBeside(1, 0)).enqueue(consumed::countDown);
      produced.countDown();
      assertTrue(consumed.await(LONG.toSeconds(), TimeUnit.SECONDS));
      job.checkSumsBeside(0, 100);
      awaitDone(late); // the agents find out by themselves
      awaitDone(other);
      assertTrue(late.error().isEmpty() && other.error().isEmpty());
    }
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldKeepTheLibraryToOneStreamAtATime() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      CountDownLatch produced = new CountDownLatch(1);
      ((HostStream) job.streamBeside(0, 0)).enqueue(() -> awaitQuietly(produced));
      Work first = job.submitBeside(0, 0, 50);
      Work second = job.submitBeside(0, 1, 60);
      Work third = job.submitBeside(0, 0, 70); // after what the agent has to call first
      Work[] others = new Work[3];
      for (int i = 0; i < 3; i++) {
        others[i] = job.submitBeside(1, i % 2, 50 + 10 * i);
      }
      assertFalse(first.isDone() || second.isDone() || third.isDone());
      produced.countDown();
      for (Work work : List.of(first, second, third, others[0], others[1], others[2])) {
        work.await(LONG);
      }
      List<Thread> callers = job.vendorCallers(0);
      Thread own = threadOf(job.streamBeside(0, 0));
      assertEquals(callers.get(0), own);
      assertNotEquals(callers.get(1), threadOf(job.streamBeside(0, 1)));
      assertNotEquals(callers.get(2), own);
      job.checkSumsBeside(1, 60);
      job.checkSumsBeside(0, 70);
    }
  }

  /** The others would wait for a call that is refused when it is in already. */
  @Test(timeOut = LIMIT_MS)
  public void shouldRefuseToBlockWhereItMayNotBeforeTheCallIsIn() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      job.streamBeside(0, 0);
      AtomicReference<RuntimeException> refused = new AtomicReference<>();
      job.runOnAgent(
          0,
          () ->
              refused.set(
                  expectThrows(
                      UsageException.class,
                      () -> job.submitBeside(0, 0, 10, CallOptions.BLOCKING))));
      assertTrue(refused.get().getMessage().contains("wait outside of it"), "" + refused.get());
      assertEquals(job.vendorCallers(0), List.of());
      assertEquals(job.activity(0).operations(), 0);
      Work first = job.submitBeside(0, 0, 10);
      job.submitBeside(1, 0, 10).await(LONG);
      first.await(LONG);
      job.checkSumsBeside(0, 10);
    }
  }

  /**
   * More than there are places, with nothing awaited between; and groups, which the agent makes.
   */
  @Test(timeOut = LIMIT_MS)
  public void shouldKeepTheOrderOfCallsHoweverEachRankMakesThem() throws Exception {
    long seed = TestSeed.drawn();
    try (LocalJob job = job("aaa", LONG)) {
      List<CompletableFuture<Work>> ranks = new ArrayList<>();
      for (int rank = 0; rank < 3; rank++) {
        int self = rank;
        Random shared = new Random(seed); // sizes and streams, which all ranks agree about
        Random own = new Random(seed + rank + 1);
        CompletableFuture<Work> last = new CompletableFuture<>();
        Thread thread = new Thread(() -> complete(last, job, self, shared, own), "caller");
        thread.setDaemon(true);
        thread.start();
        ranks.add(last);
      }
      for (CompletableFuture<Work> rank : ranks) {
        rank.get(LONG.toSeconds(), TimeUnit.SECONDS).await(LONG);
      }
      assertEquals(job.activity(0).operations(), 400);
      assertEquals(job.activity(1).votes(), 400);
    }
  }

  private static void complete(
      CompletableFuture<Work> last, LocalJob job, int rank, Random shared, Random own) {
    try {
      last.complete(callAnyhow(job, rank, shared, own));
    } catch (Throwable e) {
      last.completeExceptionally(e);
    }
  }

  /** Makes calls one after the other, each in a way of its own. */
  private static Work callAnyhow(LocalJob job, int rank, Random shared, Random own) {
    Work last = null;
    for (int i = 0; i < 400; i++) {
      int count = 1 + shared.nextInt(500);
      int side = shared.nextInt(20) == 0 ? 1 : 0;
      CallOptions options =
          switch (own.nextInt(8)) {
            case 0 -> CallOptions.BLOCKING;
            case 1 -> CallOptions.STANDARD.withoutStreamWait(); // which the agent makes
            default -> CallOptions.STANDARD;
          };
      last = job.submitBeside(rank, side, count, options);
      if (own.nextInt(40) == 0) {
        last.await(LONG);
        job.checkSumsBeside(rank, side, count);
      }
    }
    return last;
  }

  private static CollectiveCall vector(Collective what, long count, ReduceOp op, int root) {
    return CollectiveCall.vector(what, count, DataType.F32, new Reduction.By(op), root, false);
  }

  /** What ranks 0 and 1 call, and what both are told. */
  @DataProvider
  public Object[][] mismatches() {
    CollectiveCall sum = vector(Collective.ALL_REDUCE, 100, ReduceOp.SUM, 0);
    return new Object[][] {
      {"count", sum, vector(Collective.ALL_REDUCE, 101, ReduceOp.SUM, 0), "of 100 f32 ", "of 101 "},
      {"operator", sum, vector(Collective.ALL_REDUCE, 100, ReduceOp.MAX, 0), "by sum", "by max"},
      {
        "type",
        sum,
        CollectiveCall.allReduce(100, DataType.I32, ReduceOp.SUM, false),
        "of 100 f32",
        "of 100 i32"
      },
      {
        "operation",
        sum,
        CollectiveCall.move(Collective.ALL_GATHER, new Layout.Even(100), DataType.F32, 0, false),
        "called all_reduce",
        "called all_gather"
      },
      {
        "root",
        CollectiveCall.vector(
            Collective.BROADCAST, 100, DataType.F32, new Reduction.None(), 0, false),
        CollectiveCall.vector(
            Collective.BROADCAST, 100, DataType.F32, new Reduction.None(), 1, false),
        "root 0",
        "root 1"
      },
      {"no library's call", sum, CollectiveCall.barrier(), "all_reduce of 100", "called barrier"},
    };
  }

  /**
   * Whether the library mixes them up, refuses them or waits for ever: all are told, and nothing
   * stays on the streams.
   */
  @Test(timeOut = LIMIT_MS, dataProvider = "mismatches")
  public void shouldShowBothSidesOfAMismatch(
      String field, CollectiveCall one, CollectiveCall other, String first, String second)
      throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      List<Work> works = List.of(job.submit(0, one), job.submit(1, other));
      for (Work work : works) {
        TomboloException failure = failureOf(work);
        assertEquals(failure.getClass(), MismatchException.class, field + ": " + failure);
        List<String> sides = Splitter.on(", but rank 1").splitToList(failure.getMessage());
        assertEquals(sides.size(), 2, failure.getMessage());
        assertTrue(
            sides.get(0).contains(first) && sides.get(1).contains(second), failure.getMessage());
      }
      awaitIdle(job.stream(0));
      awaitIdle(job.stream(1));
      assertTrue(job.failure(0).isPresent() && job.failure(1).isPresent());
    }
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldShowBothSidesWhereTheOrderOfCallsDiffers() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      List<Work> works = new ArrayList<>();
      for (int count : new int[] {7, 10, 20}) {
        works.add(job.submitBeside(0, 0, count));
      }
      for (int count : new int[] {7, 20, 10}) {
        works.add(job.submitBeside(1, 0, count));
      }
      for (int later : new int[] {1, 2, 4, 5}) {
        String message = failureOf(works.get(later)).getMessage();
        assertTrue(
            message.contains("all_reduce of 10 f32 by sum, but rank 1 called all_reduce of 20"),
            message);
      }
    }
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldNameWhoNeverComesAndLetTheStreamGo() throws Exception {
    try (LocalJob job = job("aaa", SHORT)) {
      Work one = job.submitBeside(0, 0, 100);
      Work two = job.submitBeside(2, 0, 100);
      for (Work work : List.of(one, two)) {
        assertEquals(failureOf(work).getClass(), DeadlineExceededException.class);
        assertFalse(work.buffersReleased());
      }
      assertTrue(failureOf(one).getMessage().contains("no vote from rank 1"), one.toString());
      awaitIdle(job.streamBeside(0, 0));
      awaitIdle(job.streamBeside(2, 0));
    }
  }

  /** All have voted, so only the library can be what holds it up. */
  @Test(timeOut = LIMIT_MS)
  public void shouldSayThatTheWorkOnTheStreamHasNotEnded() throws Exception {
    try (LocalJob job = job("aa", SHORT)) {
      CountDownLatch never = new CountDownLatch(1);
      ((HostStream) job.streamBeside(1, 0)).enqueue(() -> awaitQuietly(never));
      Work one = job.submitBeside(0, 0, 100);
      Work other = job.submitBeside(1, 0, 100); // not reached: no deadline runs here
      String message = failureOf(one).getMessage();
      assertTrue(message.contains("whose work on the caller's stream has not ended"), message);
      assertFalse(other.isDone());
      never.countDown();
      job.abort(1);
    }
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldEndByAnAbortOfAnotherThread() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      Work one = job.submitBeside(0, 0, 100);
      Thread.currentThread().interrupt();
      job.abort(0);
      assertTrue(Thread.interrupted());
      assertEquals(failureOf(one).getClass(), AbortedException.class);
      awaitIdle(job.streamBeside(0, 0));
      expectThrows(AbortedException.class, () -> job.submitBeside(0, 0, 100));
    }
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldEndWhenAPeerIsGone() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      Work one = job.submitBeside(0, 0, 100);
      job.breakLinks(0);
      assertEquals(failureOf(one).getClass(), PeerFailedException.class);
      awaitIdle(job.streamBeside(0, 0));
    }
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldHaveAnotherStreamWaitForIt() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      Work one = job.submitBeside(0, 0, 100);
      HostStream waiting = (HostStream) job.streamBeside(0, 1);
      one.makeWait(waiting);
      CountDownLatch passed = new CountDownLatch(1);
      waiting.enqueue(passed::countDown);
      assertFalse(passed.await(20, TimeUnit.MILLISECONDS));
      job.submitBeside(1, 0, 100).await(LONG);
      assertTrue(passed.await(LONG.toSeconds(), TimeUnit.SECONDS));
    }
  }

  private static TomboloException failureOf(Work work) {
    return expectThrows(TomboloException.class, () -> work.await(LONG));
  }

  private static void awaitDone(Work work) {
    Deadline deadline = Deadline.after(LONG);
    while (!work.isDone()) {
      assertFalse(deadline.isExpired(), "nobody ended what its stream has carried out");
      LockSupport.parkNanos(100_000);
    }
  }

  private static void awaitIdle(Stream stream) {
    Deadline deadline = Deadline.after(LONG);
    while (!isIdle(stream)) {
      assertFalse(deadline.isExpired(), "something stayed on the stream");
      LockSupport.parkNanos(100_000);
    }
  }

  /** A stream on which the library has thrown is not busy either. */
  private static boolean isIdle(Stream stream) {
    try {
      return stream.isIdle();
    } catch (RuntimeException e) {
      return true;
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
