// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.reflect.Reflection;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.VendorException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.testng.annotations.Test;

/** Libraries whose communicators wait for each other in their ends, or cannot be closed. */
public final class VendorCloseTest {
  private static final long LIMIT_MS = 120_000;
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration MOMENT = Duration.ofMillis(200);

  @Test(timeOut = LIMIT_MS)
  public void shouldLeaveOneBehindThatWaitsForOthersAndLetItEnd() {
    CountDownLatch others = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    VendorClose close =
        VendorClose.begin(
            closing(
                () -> {
                  Uninterruptibles.awaitUninterruptibly(others);
                  assertEquals(ended.getCount(), 1);
                }),
            ended::countDown);
    assertFalse(close.await(Deadline.after(MOMENT)));
    assertFalse(close.hasEnded());
    assertEquals(ended.getCount(), 1);
    others.countDown();
    assertTrue(close.await(Deadline.after(LONG)));
    assertTrue(close.hasEnded());
    assertEquals(ended.getCount(), 0);
  }

  /** The libraries of all groups that a rank leaves together have their time together. */
  @Test(timeOut = LIMIT_MS)
  public void shouldLetSeveralWaitSideBySide() {
    CyclicBarrier meeting = new CyclicBarrier(2);
    List<VendorClose> both =
        Stream.generate(() -> VendorClose.begin(closing(() -> meet(meeting)), () -> {}))
            .limit(2)
            .toList();
    Deadline patience = Deadline.after(LONG);
    assertTrue(both.stream().allMatch(close -> close.await(patience)));
  }

  private static void meet(CyclicBarrier meeting) {
    try {
      int unused = meeting.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldWaitForOneThatEnds() {
    CountDownLatch ended = new CountDownLatch(1);
    assertTrue(VendorClose.begin(closing(ended::countDown), () -> {}).await(Deadline.after(LONG)));
    assertEquals(ended.getCount(), 0);
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldWaitOnAnInterruptedThreadToo() {
    CountDownLatch ended = new CountDownLatch(1);
    // fixed time: who did not wait would be back before
    CclCommunicator slow = closing(() -> Uninterruptibles.sleepUninterruptibly(MOMENT));
    VendorClose close = VendorClose.begin(slow, ended::countDown);
    Thread.currentThread().interrupt();
    boolean hasEnded = close.await(Deadline.after(LONG));
    assertTrue(Thread.interrupted(), "the interrupt");
    assertTrue(hasEnded);
    assertEquals(ended.getCount(), 0);
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldSayWhatTheLibrarySaysAgainstIt() {
    CclCommunicator stubborn =
        closing(
            () -> {
              throw new VendorException("ncclCommDestroy failed", 5);
            });
    AtomicBoolean isOver = new AtomicBoolean();
    VendorClose close = VendorClose.begin(stubborn, () -> isOver.set(true));
    VendorException error =
        expectThrows(VendorException.class, () -> close.await(Deadline.after(LONG)));
    assertTrue(error.getMessage().contains("ncclCommDestroy"), error.getMessage());
    assertTrue(close.hasEnded());
    assertFalse(isOver.get(), "what it still uses is not known");
  }

  private static CclCommunicator closing(Runnable close) {
    return Reflection.newProxy(
        CclCommunicator.class,
        (proxy, method, arguments) -> {
          close.run();
          return null;
        });
  }
}
