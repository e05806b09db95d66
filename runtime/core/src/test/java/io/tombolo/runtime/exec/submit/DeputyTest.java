// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import static io.tombolo.runtime.exec.submit.BlockingCalls.LONG;
import static io.tombolo.runtime.exec.submit.BlockingCalls.awaitCallOf;
import static io.tombolo.runtime.exec.submit.BlockingCalls.awaitQuietly;
import static io.tombolo.runtime.exec.submit.BlockingCalls.blocking;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.device.HostStream;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.runtime.HeldCall;
import io.tombolo.runtime.exec.run.LocalJob;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.testng.annotations.Factory;
import org.testng.annotations.Test;

/**
 * Calls that are to return soon, to a library whose calls block: who goes into the library, and
 * when their callers go on.
 */
public class DeputyTest {
  private static final CallOptions SOON =
      new CallOptions(Optional.empty(), true, false, CallOptions.Returns.SOON);

  private final boolean board;

  /** The same tests with votes on a board and votes over channels. */
  @Factory(dataProvider = "boards", dataProviderClass = BlockingCalls.class)
  public DeputyTest(boolean board) {
    this.board = board;
  }

  private LocalJob job(String word, Duration timeout) {
    return new LocalJob(word, timeout, board, Flag.BLOCKING_CALLS, Flag.ABORT);
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
      HeldCall<Work> other = blocking(job, 1, 100);
      HeldCall<Work> one = HeldCall.start(() -> job.submitBeside(0, 0, 100, SOON));
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
      Work work = HeldCall.start(() -> job.submitBeside(0, 0, 100, SOON)).get();
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
        HeldCall<Work> other = blocking(job, 1, 100);
        other.awaitIn(CallerWaits.class, "awaitQuietly");
        AtomicBoolean isDone = new AtomicBoolean();
        HeldCall<Work> one =
            HeldCall.start(
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

  @Test
  public void shouldLetACallerGoOnWhoseDeputyIsInTheLibrary() throws Exception {
    CountDownLatch produced = new CountDownLatch(1);
    try (LocalJob job = new LocalJob("aa", LONG, board, Flag.BLOCKING_CALLS)) {
      ((HostStream) job.streamBeside(1, 0)).enqueue(() -> awaitQuietly(produced));
      job.submitBeside(1, 0, 100);
      Work work = HeldCall.start(() -> job.submitBeside(0, 0, 100, SOON)).get();
      awaitCallOf(0, job);
      assertFalse(work.isDone());
      HeldCall<Work> next = HeldCall.start(() -> job.submitBeside(0, 1, 61, SOON));
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
            HeldCall.start(
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
}
