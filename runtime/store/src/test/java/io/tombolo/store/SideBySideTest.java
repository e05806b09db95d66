// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.UsageException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.testng.annotations.Test;

public class SideBySideTest {
  @Test(timeOut = 120_000)
  public void shouldRunThemAllAndAsManyAtATimeAsItMay() {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger ran = new AtomicInteger();
    CountDownLatch three = new CountDownLatch(3);
    Runnable step =
        () -> {
          most.accumulateAndGet(running.incrementAndGet(), Math::max);
          three.countDown();
          await(three);
          running.decrementAndGet();
          ran.incrementAndGet();
        };
    SideBySide.run(Collections.nCopies(20, step), 3);
    assertEquals(ran.get(), 20);
    assertEquals(most.get(), 3);
    SideBySide.run(List.of(), 3);
  }

  @Test(timeOut = 120_000)
  public void shouldRunThemOnTheCallersThreadInTheirOrderIfItMustOrIsInterrupted() {
    List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    List<Runnable> steps = new ArrayList<>();
    for (int number = 0; number < 5; number++) {
      int own = number;
      steps.add(
          () -> {
            threads.add(Thread.currentThread());
            order.add(own);
          });
    }
    SideBySide.run(steps, 1);
    Thread.currentThread().interrupt();
    SideBySide.run(steps, 3);
    assertTrue(Thread.interrupted(), "the interrupt was lost");
    assertEquals(threads, Collections.nCopies(10, Thread.currentThread()));
    assertEquals(order, List.of(0, 1, 2, 3, 4, 0, 1, 2, 3, 4));
  }

  /** As the JVM says that the system gives no more. */
  @Test(timeOut = 120_000)
  public void shouldRunThemAllOnTheThreadsThereAre() {
    for (int there = 0; there < 3; there++) {
      AtomicInteger left = new AtomicInteger(there);
      Set<Thread> threads = Collections.synchronizedSet(new HashSet<>());
      CountDownLatch all = new CountDownLatch(there + 1);
      AtomicInteger ran = new AtomicInteger();
      Runnable step =
          () -> {
            threads.add(Thread.currentThread());
            ran.incrementAndGet();
            all.countDown();
            await(all);
          };
      SideBySide.run(
          Collections.nCopies(20, step),
          5,
          work -> left.getAndDecrement() > 0 ? new Thread(work) : unstartable());
      assertEquals(ran.get(), 20);
      assertEquals(threads.size(), there + 1);
      assertTrue(threads.contains(Thread.currentThread()));
    }
  }

  private static Thread unstartable() {
    return new Thread("never runs") {
      @Override
      public synchronized void start() {
        throw new OutOfMemoryError("unable to create native thread");
      }
    };
  }

  /** The caller's memory is used for as long as a step runs. */
  @Test(timeOut = 120_000)
  public void shouldNotEndBeforeTheLastThoughOneHasFailed() throws Exception {
    UsageException failure = new UsageException("on purpose");
    UsageException later = new UsageException("later");
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    AtomicInteger more = new AtomicInteger();
    Runnable step =
        () -> {
          if (Thread.currentThread().getName().equals("calls")) {
            await(begun);
            throw failure;
          }
          begun.countDown();
          await(goesOn);
          throw later;
        };
    List<Runnable> steps = List.of(step, step, more::incrementAndGet);
    FutureTask<UsageException> call =
        new FutureTask<>(() -> expectThrows(UsageException.class, () -> SideBySide.run(steps, 2)));
    Thread caller = new Thread(call, "calls");
    caller.start();
    while (caller.getState() != Thread.State.WAITING) { // for the other thread
      assertFalse(call.isDone(), "it did not wait");
      Thread.onSpinWait();
    }
    goesOn.countDown();
    UsageException thrown = call.get(60, TimeUnit.SECONDS);
    assertSame(thrown, failure);
    assertEquals(thrown.getSuppressed(), new Throwable[] {later});
    assertEquals(more.get(), 0, "no more begin after a failure");
  }

  @Test(timeOut = 120_000)
  public void shouldInterruptAllAndStayInterrupted() throws Exception {
    CountDownLatch begun = new CountDownLatch(3);
    AtomicInteger interrupted = new AtomicInteger();
    Runnable step =
        () -> {
          begun.countDown();
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException e) {
            interrupted.incrementAndGet();
            Thread.currentThread().interrupt();
            throw new AbortedException("interrupted", e);
          }
        };
    FutureTask<Boolean> call =
        new FutureTask<>(
            () -> {
              List<Runnable> steps = Collections.nCopies(5, step);
              expectThrows(AbortedException.class, () -> SideBySide.run(steps, 3));
              return Thread.interrupted();
            });
    Thread caller = new Thread(call, "calls");
    caller.start();
    await(begun);
    caller.interrupt();
    assertTrue(call.get(60, TimeUnit.SECONDS), "the interrupt was lost");
    assertEquals(interrupted.get(), 3);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(60, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
