// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertNotSame;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.AbortedException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.testng.annotations.Test;

public final class HostStreamTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  public void shouldRunTasksInOrderOnOneDaemonThread() {
    List<String> ran = Collections.synchronizedList(new ArrayList<>());
    try (HostStream stream = new HostStream()) {
      for (int i = 0; i < 100; i++) {
        int number = i;
        stream.enqueue(
            () -> ran.add(number + (Thread.currentThread().isDaemon() ? "" : " not a daemon")));
      }
      await("the tasks", stream::isIdle);
    }
    for (int i = 0; i < 100; i++) {
      assertEquals(ran.get(i), "" + i);
    }
  }

  @Test
  public void shouldReturnWhileATaskBlocks() {
    CountDownLatch gate = new CountDownLatch(1);
    try (HostStream stream = new HostStream()) {
      stream.enqueue(() -> awaitQuietly(gate));
      assertFalse(stream.isIdle());
      gate.countDown();
      await("the task", stream::isIdle);
    }
  }

  @Test
  public void shouldDoShortWorkAtOnceWhereNothingIsBeforeIt() {
    AtomicReference<Thread> ranOn = new AtomicReference<>();
    try (HostStream stream = new HostStream();
        HostEvent event = new HostEvent()) {
      stream.enqueueMemoryWork(8, () -> ranOn.set(Thread.currentThread()));
      assertSame(ranOn.get(), Thread.currentThread());
      event.record(stream);
      assertTrue(event.isDone());
      assertTrue(stream.isIdle());
    }
  }

  @Test(timeOut = 60_000)
  public void shouldLoseNoWaitOfSeveralThreads() throws InterruptedException {
    for (int round = 0; round < 500; round++) {
      AtomicBoolean mine = new AtomicBoolean();
      AtomicBoolean others = new AtomicBoolean();
      AtomicBoolean early = new AtomicBoolean();
      try (HostStream stream = new HostStream()) {
        CountDownLatch ready = new CountDownLatch(1);
        AtomicBoolean both = new AtomicBoolean();
        Thread other =
            new Thread(
                () -> {
                  ready.countDown();
                  while (!both.get()) {
                    Thread.onSpinWait();
                  }
                  stream.enqueueWait(others::get);
                });
        other.start();
        ready.await();
        both.set(true);
        stream.enqueueWait(mine::get);
        other.join();
        stream.enqueueMemoryWork(8, () -> early.set(!mine.get() || !others.get()));
        mine.set(true);
        Thread.onSpinWait();
        others.set(true);
        await("the work", stream::isIdle);
      }
      assertFalse(early.get(), "a wait was lost in round " + round);
    }
  }

  @Test
  public void shouldLeaveLongMemoryWorkToItsThread() {
    AtomicReference<Thread> ranOn = new AtomicReference<>();
    try (HostStream stream = new HostStream()) {
      stream.enqueueMemoryWork(1 << 20, () -> ranOn.set(Thread.currentThread()));
      await("the work", stream::isIdle);
      assertNotSame(ranOn.get(), Thread.currentThread());
    }
  }

  @Test
  public void shouldKeepTheOrderOfShortAndLongWork() {
    CountDownLatch gate = new CountDownLatch(1);
    List<Integer> ran = Collections.synchronizedList(new ArrayList<>());
    try (HostStream stream = new HostStream()) {
      stream.enqueueMemoryWork(8, () -> ran.add(1));
      stream.enqueue(() -> awaitQuietly(gate));
      stream.enqueueMemoryWork(8, () -> ran.add(2));
      stream.enqueue(() -> ran.add(3));
      assertEquals(ran, List.of(1));
      gate.countDown();
      await("the work", stream::isIdle);
      assertEquals(ran, List.of(1, 2, 3));
    }
  }

  @Test
  public void shouldHoldWhatIsQueuedBehindAWait() {
    AtomicBoolean open = new AtomicBoolean();
    AtomicBoolean ran = new AtomicBoolean();
    AtomicBoolean ranTooSoon = new AtomicBoolean();
    try (HostStream stream = new HostStream();
        HostEvent event = new HostEvent()) {
      stream.enqueueWait(open::get);
      stream.enqueueWait(() -> true);
      stream.enqueueMemoryWork(
          8,
          () -> {
            ranTooSoon.set(!open.get());
            ran.set(true);
          });
      event.record(stream);
      assertFalse(stream.isIdle());
      assertFalse(event.isDone());
      open.set(true);
      await("the work", event::isDone);
      assertTrue(ran.get());
      assertFalse(ranTooSoon.get());
    }
  }

  @Test
  public void shouldKeepNoThreadBusyWithAWaitThatNothingIsBehind() {
    AtomicBoolean open = new AtomicBoolean();
    AtomicReference<Thread> worker = new AtomicReference<>();
    AtomicReference<Thread> looked = new AtomicReference<>();
    try (HostStream stream = new HostStream()) {
      stream.enqueue(() -> worker.set(Thread.currentThread()));
      await("the task", stream::isIdle);
      stream.enqueueWait(
          () -> {
            looked.set(Thread.currentThread());
            return open.get();
          });
      assertFalse(stream.isIdle());
      assertSame(looked.get(), Thread.currentThread());
      await("its sleep", () -> worker.get().getState() == Thread.State.WAITING);
      assertSame(looked.get(), Thread.currentThread());
      open.set(true);
      assertTrue(stream.isIdle());
    }
  }

  @Test
  public void shouldFailAndRunNothingMoreWhenATaskThrows() {
    IllegalArgumentException cause = new IllegalArgumentException("made to fail");
    AtomicBoolean ranLater = new AtomicBoolean();
    try (HostStream stream = new HostStream();
        HostEvent event = new HostEvent();
        HostStream other = new HostStream()) {
      stream.enqueue(
          () -> {
            throw cause;
          });
      stream.enqueue(() -> ranLater.set(true));
      event.record(stream);
      other.waitFor(event);
      await("the failure", () -> hasFailed(stream));
      assertSame(expectThrows(IllegalArgumentException.class, stream::isIdle), cause);
      await("the failure to travel", () -> hasFailed(other));
      AbortedException travelled = expectThrows(AbortedException.class, other::isIdle);
      assertTrue(travelled.getMessage().contains("made to fail"), travelled.getMessage());
      assertThrows(AbortedException.class, event::isDone);
    }
    assertFalse(ranLater.get());
  }

  @Test
  public void shouldCloseAtOnceAndLeaveAStuckTaskBehind() {
    CountDownLatch never = new CountDownLatch(1);
    AtomicReference<Thread> worker = new AtomicReference<>();
    HostStream stream = new HostStream();
    HostEvent event = new HostEvent();
    stream.enqueue(
        () -> {
          worker.set(Thread.currentThread());
          awaitQuietly(never);
        });
    event.record(stream);
    await("the task to start", () -> worker.get() != null);
    Deadline deadline = Deadline.after(PATIENCE);
    stream.close();
    stream.close();
    assertTrue(
        deadline.elapsedNs() < 1_000_000_000L, "closing waited for the stuck task: " + deadline);
    assertThrows(IllegalStateException.class, () -> stream.enqueue(() -> {}));
    assertThrows(AbortedException.class, event::isDone);
    never.countDown();
    await("the worker to end", () -> !worker.get().isAlive());
  }

  @Test
  public void shouldTouchNoMemoryOnceCloseHasReturned() {
    for (int round = 0; round < 200; round++) {
      try (NativeMemory word =
          NativeMemory.allocate(8)) { // unmapped right after: a late read would crash
        LongCell cell = word.cell(0);
        HostStream stream = new HostStream();
        stream.enqueueWait(() -> cell.getAcquire() == 1);
        stream.close();
      }
    }
  }

  @Test
  public void shouldUseNoProcessorTimeWhenIdle() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    AtomicReference<Thread> worker = new AtomicReference<>();
    try (HostStream stream = new HostStream()) {
      stream.enqueue(() -> worker.set(Thread.currentThread()));
      await(
          "the task",
          () -> worker.get() != null && worker.get().getState() == Thread.State.WAITING);
      long before = threads.getThreadCpuTime(worker.get().getId());
      LockSupport.parkNanos(200_000_000); // fixed time: idling is what is measured
      long usedNs = threads.getThreadCpuTime(worker.get().getId()) - before;
      assertTrue(usedNs < 2_000_000, "an idle stream used " + usedNs + " ns of 200 ms");
    }
  }

  private static boolean hasFailed(HostStream stream) {
    try {
      stream.isIdle();
      return false;
    } catch (RuntimeException e) {
      return true;
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    Deadline deadline = Deadline.after(PATIENCE);
    while (!condition.getAsBoolean()) {
      assertFalse(deadline.isExpired(), "waited in vain for " + what + ": " + deadline);
      LockSupport.parkNanos(20_000);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
