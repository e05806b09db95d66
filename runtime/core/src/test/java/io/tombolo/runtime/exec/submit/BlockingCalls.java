// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;

import io.tombolo.adaptors.device.HostStream;
import io.tombolo.base.Deadline;
import io.tombolo.runtime.HeldCall;
import io.tombolo.runtime.exec.run.LocalJob;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.testng.annotations.DataProvider;

/** Calls of a job's ranks, to a library whose calls block, and what holds these up. */
final class BlockingCalls {
  static final Duration LONG = Duration.ofSeconds(60);
  static final Duration SHORT = Duration.ofMillis(400);
  static final CallOptions BLOCKING = CallOptions.BLOCKING;

  private BlockingCalls() {}

  /** Whether the ranks have a board for their votes. */
  @DataProvider
  public static Object[][] boards() {
    return new Object[][] {{true}, {false}};
  }

  /** Rank {@code rank} calls, on a thread of its own. */
  static HeldCall<Work> blocking(LocalJob job, int rank, int count) {
    return HeldCall.start(() -> job.submitBeside(rank, 0, count, BLOCKING));
  }

  /**
   * Rank 0 is in the library; rank 1 has called, but its stream does not get there until {@code
   * produced}.
   */
  static HeldCall<Work> enterAlone(LocalJob job, CountDownLatch produced)
      throws InterruptedException {
    ((HostStream) job.streamBeside(1, 0)).enqueue(() -> awaitQuietly(produced));
    job.submitBeside(1, 0, 100);
    HeldCall<Work> alone = blocking(job, 0, 100);
    awaitCallOf(0, job);
    assertEquals(job.vendorCallers(0), List.of(alone.thread()));
    return alone;
  }

  /** Waits until rank {@code rank} is in the library. */
  static void awaitCallOf(int rank, LocalJob job) throws InterruptedException {
    Deadline deadline = Deadline.after(LONG);
    while (job.vendorCallers(rank).isEmpty()) {
      assertFalse(deadline.isExpired(), "rank " + rank + " does not call");
      Thread.sleep(1);
    }
  }

  /** From now on until {@code released}, nobody makes rounds at rank 0. */
  static HeldCall<Void> holdAgent(LocalJob job, CountDownLatch released) {
    CountDownLatch held = new CountDownLatch(1);
    HeldCall<Void> agent =
        HeldCall.start(
            () -> {
              job.runOnAgent(
                  0,
                  () -> {
                    held.countDown();
                    awaitQuietly(released);
                  });
              return null;
            });
    awaitQuietly(held);
    return agent;
  }

  static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
