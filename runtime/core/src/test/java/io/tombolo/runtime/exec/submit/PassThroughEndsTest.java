// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import static io.tombolo.runtime.exec.submit.BlockingCalls.BLOCKING;
import static io.tombolo.runtime.exec.submit.BlockingCalls.LONG;
import static io.tombolo.runtime.exec.submit.BlockingCalls.SHORT;
import static io.tombolo.runtime.exec.submit.BlockingCalls.blocking;
import static io.tombolo.runtime.exec.submit.BlockingCalls.enterAlone;
import static io.tombolo.runtime.exec.submit.BlockingCalls.holdAgent;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.VendorException;
import io.tombolo.runtime.HeldCall;
import io.tombolo.runtime.exec.run.LocalJob;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Factory;
import org.testng.annotations.Test;

/** Calls that block, to a library whose calls block: how they end where something goes wrong. */
public class PassThroughEndsTest {
  private final boolean board;

  /** The same tests with votes on a board and votes over channels. */
  @Factory(dataProvider = "boards", dataProviderClass = BlockingCalls.class)
  public PassThroughEndsTest(boolean board) {
    this.board = board;
  }

  private LocalJob job(String word, Duration timeout) {
    return new LocalJob(word, timeout, board, Flag.BLOCKING_CALLS, Flag.ABORT);
  }

  @Test
  public void shouldNameAMismatchBeforeAnythingIsCalled() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      HeldCall<Work> one = blocking(job, 0, 100);
      HeldCall<Work> other = blocking(job, 1, 101);
      for (HeldCall<Work> call : List.of(one, other)) {
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
      HeldCall<Work> one = blocking(job, 0, 100);
      HeldCall<Work> two = blocking(job, 1, 100);
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
      HeldCall<Work> stuck = enterAlone(job, new CountDownLatch(1));
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
      HeldCall<Work> failing = HeldCall.start(() -> job.submitBeside(0, 0, 100, way));
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
      HeldCall<Work> stuck = enterAlone(job, new CountDownLatch(1));
      job.abort(0);
      assertEquals(failureOf(stuck.get()).getClass(), AbortedException.class);
      assertFalse(stuck.get().buffersReleased());
    }
  }

  @Test
  public void shouldEndTheCallWhenAnotherThreadCloses() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      HeldCall<Work> stuck = enterAlone(job, new CountDownLatch(1));
      job.closeExecutor(0);
      TomboloException failure = failureOf(stuck.get());
      assertTrue(
          failure.getMessage().contains("closed with operations under way"), failure.getMessage());
    }
  }

  @Test
  public void shouldGoOnWithTheOperationWhenItsCallerIsInterrupted() throws Exception {
    try (LocalJob job = job("aa", LONG)) {
      HeldCall<Work> interrupted = blocking(job, 0, 100);
      interrupted.awaitIn(PassThrough.class, "call");
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
      HeldCall<Work> alone = enterAlone(job, produced);
      CountDownLatch gone = new CountDownLatch(1);
      HeldCall<Void> agent = holdAgent(job, gone);
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

  private static TomboloException failureOf(Work work) {
    return work.error().orElseThrow();
  }
}
