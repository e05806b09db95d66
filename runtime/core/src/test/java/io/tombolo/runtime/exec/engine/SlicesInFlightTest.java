// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.SettableFuture;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.HeldCall;
import io.tombolo.runtime.TestSeed;
import io.tombolo.runtime.exec.run.LocalJob;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Combiner;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** What becomes of slices on reducer threads when their operation does not end well. */
public class SlicesInFlightTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int COUNT = 30_000;

  @Test
  public void shouldFailTheOperationWithWhatTheUsersFunctionThrew() {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      List<Work> works =
          job.allReduce(
              by(
                  (left, right, into, type) -> {
                    throw new IllegalStateException("overflow in the user's function");
                  }));
      TomboloException failure =
          expectThrows(AbortedException.class, () -> works.get(0).await(LONG));
      assertTrue(failure.getMessage().contains("overflow in the user's"), failure.getMessage());
      assertTrue(failure.getMessage().contains("rank 0: all_reduce of"), failure.getMessage());
      assertFalse(works.get(0).buffersReleased());
    }
  }

  /**
   * What a user's function does that waits for the operation it is part of, or for the next one.
   */
  private enum Wait {
    AWAIT,
    BLOCKING_CALL;

    void on(LocalJob job, Work work) {
      switch (this) {
        case AWAIT -> work.await(LONG);
        case BLOCKING_CALL -> job.submitBeside(0, 0, 1, CallOptions.BLOCKING);
      }
    }
  }

  @DataProvider
  public Object[][] waits() {
    return new Object[][] {{Wait.AWAIT}, {Wait.BLOCKING_CALL}};
  }

  @Test(dataProvider = "waits")
  public void shouldRefuseToWaitInsideTheUsersFunction(Wait wait) {
    SettableFuture<Work> first = SettableFuture.create();
    AtomicReference<Throwable> refused = new AtomicReference<>();
    try (LocalJob job = new LocalJob("ab", LONG)) {
      Combiner waits =
          (left, right, into, type) -> {
            Work own = Futures.getUnchecked(first);
            try {
              wait.on(job, own);
            } catch (UsageException e) {
              refused.set(e);
              throw e;
            }
          };
      Work work = job.submit(0, by(waits));
      first.set(work);
      job.submit(1, by((left, right, into, type) -> {})); // which waits for nothing of rank 0's
      TomboloException failure = expectThrows(TomboloException.class, () -> work.await(LONG));
      assertTrue(failure.getMessage().contains("wait outside of it"), failure.getMessage());
      assertTrue(refused.get() instanceof UsageException, "" + refused.get());
    }
  }

  /** Elements that have gone would be a crash of the process here, not an exception. */
  @Test
  public void shouldWaitForASliceBeforeItCloses() throws InterruptedException {
    CountDownLatch inSlice = new CountDownLatch(2);
    CountDownLatch maySum = new CountDownLatch(1);
    AtomicBoolean summed = new AtomicBoolean();
    Thread closer = Thread.currentThread();
    Thread releaser =
        new Thread(
            () -> {
              HeldCall.awaitIn(closer, Reducers.class, "close");
              maySum.countDown();
            });
    try (LocalJob job = new LocalJob("ab", LONG)) {
      List<Work> works =
          job.allReduce(
              by(
                  (left, right, into, type) -> {
                    inSlice.countDown();
                    awaitUnbroken(maySum);
                    into.put(0, (byte) (left.get(0) + right.get(0)));
                    summed.set(true);
                  }));
      assertTrue(inSlice.await(LONG.toSeconds(), TimeUnit.SECONDS));
      works.forEach(Work::abort);
      works.forEach(work -> expectThrows(AbortedException.class, () -> work.await(LONG)));
      works.forEach(work -> assertFalse(work.buffersReleased()));
      releaser.start();
    }
    assertTrue(summed.get(), "closed while a slice was under way");
    releaser.join();
  }

  private static void awaitUnbroken(CountDownLatch latch) {
    try {
      assertTrue(latch.await(LONG.toSeconds(), TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @DataProvider
  public Object[][] worlds() {
    return new Object[][] {{"ab"}, {"abba"}, {"abc"}};
  }

  @Test(dataProvider = "worlds")
  public void shouldSurviveAnEndAtAnyMoment(String word) {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    for (int round = 0; round < 25; round++) {
      List<Work> works = new ArrayList<>();
      try (LocalJob job = new LocalJob(word, LONG)) {
        int count = 1 + random.nextInt(COUNT);
        CollectiveCall call = CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, true);
        works.addAll(job.allReduce(call));
        works.addAll(job.allReduce(call));
        LockSupport.parkNanos(random.nextInt(3_000_000));
        switch (random.nextInt(3)) {
          case 0 -> works.get(random.nextInt(works.size())).abort();
          case 1 -> job.breakLinks(random.nextInt(job.size()));
          default -> {} // closes as it is
        }
      }
      assertEquals(works.stream().filter(work -> !work.isDone()).count(), 0, "seed " + seed);
    }
  }

  /** All ranks' threads have gone, also after a failure. */
  @Test
  public void shouldLeaveNoThreadBehind() {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      job.allReduce(by((left, right, into, type) -> into.put(0, left.get(0))))
          .forEach(work -> work.await(LONG));
      assertTrue(reducersAlive() >= 2);
    }
    Deadline deadline = Deadline.after(LONG);
    while (reducersAlive() > 0) {
      assertTrue(!deadline.isExpired(), reducersAlive() + " reducer threads are left");
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static long reducersAlive() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("tombolo-reducer-"))
        .count();
  }

  private static CollectiveCall by(Combiner combiner) {
    return CollectiveCall.vector(
        Collective.ALL_REDUCE,
        COUNT,
        DataType.F32,
        new Reduction.UserDefined("the user's", combiner),
        0,
        false);
  }
}
