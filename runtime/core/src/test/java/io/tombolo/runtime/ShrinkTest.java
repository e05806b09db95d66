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
import org.testng.annotations.Test;

/** Who is in a communicator of survivors; the ranks are threads, so nobody is seen to be dead. */
public class ShrinkTest {
  /** How long those that do not come are waited for; those that come do so on a busy machine. */
  private static final Duration SHORT = Duration.ofSeconds(4);

  private static List<Communicator> shrink(List<Communicator> ranks, Duration limit) {
    return ThreadRanks.onAll(ranks, each -> each.shrink(limit));
  }

  private static void fail(List<Communicator> ranks) {
    ranks.get(0).abort();
    ranks.forEach(ThreadRanks::failureOf);
  }

  @Test(timeOut = 120_000)
  public void shouldGoOnWithAllIfNobodyDied() {
    try (ThreadRanks job = new ThreadRanks(3)) {
      fail(job.all());
      List<Communicator> next = shrink(job.all(), ThreadRanks.LONG);
      ThreadRanks.assertUsable(next);
      ThreadRanks.closeAll(next);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldRefuseWhoeverComesTooLateAndGoOnWithoutIt() {
    try (ThreadRanks job = new ThreadRanks(3)) {
      fail(job.all());
      List<Communicator> next = shrink(List.of(job.all().get(0), job.all().get(2)), SHORT);
      assertEquals(next.stream().map(Communicator::rank).toList(), List.of(0, 1));
      Communicator late = job.all().get(1);
      DeadlineExceededException e =
          expectThrows(DeadlineExceededException.class, () -> late.shrink(SHORT).close());
      String told = "rank 1 came too late to go on: ranks [0, 2] of 3 do so without it;";
      assertTrue(e.getMessage().startsWith(told), e.getMessage());
      ThreadRanks.assertUsable(next);
      ThreadRanks.closeAll(next);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldNotGoOnWithHalfOfThem() {
    try (ThreadRanks job = new ThreadRanks(2)) {
      fail(job.all());
      for (Communicator each : job.all()) {
        NoQuorumException e =
            expectThrows(NoQuorumException.class, () -> each.shrink(SHORT).close());
        String told = "rank %s: only ranks [0] of 2 came ".formatted(each.rank());
        assertTrue(e.getMessage().startsWith(told), e.getMessage());
      }
    }
  }

  @Test(timeOut = 120_000)
  public void shouldRefuseWhatHasNotFailedAndASecondCall() {
    try (ThreadRanks job = new ThreadRanks(1)) {
      Communicator only = job.all().get(0);
      expectThrows(UsageException.class, () -> only.shrink(ThreadRanks.LONG).close());
      only.abort();
      try (Communicator next = only.shrink(ThreadRanks.LONG)) {
        expectThrows(UsageException.class, () -> only.shrink(ThreadRanks.LONG).close());
        ThreadRanks.assertUsable(List.of(next));
      }
    }
  }

  /** Nobody is there whom all could ask: one of them hosts what they meet in. */
  @Test(timeOut = 120_000)
  public void shouldGoOnWithoutTheStore() {
    try (ThreadRanks job = new ThreadRanks(3)) {
      job.loseStore();
      job.all().forEach(ThreadRanks::failureOf);
      List<Communicator> next = shrink(job.all(), ThreadRanks.LONG);
      ThreadRanks.closeAll(job.all()); // the next outlive these, with the store that one hosts
      ThreadRanks.assertUsable(next);
      ThreadRanks.closeAll(next);
    }
  }

  /** Again and again, as each has acceptors of its own. */
  @Test(timeOut = 120_000)
  public void shouldGoOnASecondTimeWithoutTheStore() {
    try (ThreadRanks job = new ThreadRanks(3)) {
      job.loseStore();
      job.all().forEach(ThreadRanks::failureOf);
      List<Communicator> next = shrink(job.all(), ThreadRanks.LONG);
      fail(next);
      List<Communicator> last = shrink(next, ThreadRanks.LONG);
      ThreadRanks.assertUsable(last);
      ThreadRanks.closeAll(last);
      ThreadRanks.closeAll(next);
    }
  }
}
