// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs steps of one call at the same time: some on threads of their own, some on the caller's. When
 * it returns or throws, all that have begun have ended: nobody uses the call's memory any more.
 */
final class SideBySide {
  private static final Logger LOG = LoggerFactory.getLogger(SideBySide.class);

  private final ImmutableList<Runnable> steps;
  private final AtomicInteger next = new AtomicInteger();
  private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());

  private SideBySide(List<? extends Runnable> steps) {
    this.steps = ImmutableList.copyOf(steps);
  }

  /**
   * Runs all of them, at most so many at a time. Once one has failed, no more begin; the first
   * failure is thrown, with the others suppressed. An interrupt of the caller interrupts them all,
   * and so may end as many connections as there are threads; if it comes before, none begins on
   * another thread. Where the system gives no more threads, those there are run them, which may be
   * the caller's alone.
   */
  static void run(List<? extends Runnable> steps, int most) {
    run(steps, most, SideBySide::thread);
  }

  /** Likewise; {@code factory} makes the threads. */
  static void run(List<? extends Runnable> steps, int most, ThreadFactory factory) {
    SideBySide all = new SideBySide(steps);
    int atOnce = Thread.currentThread().isInterrupted() ? 1 : Math.min(most, steps.size());
    List<Thread> threads = new ArrayList<>();
    try {
      all.start(threads, atOnce - 1, factory);
      all.work();
    } finally {
      join(threads);
    }
    all.throwFirst();
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "tombolo-get");
    thread.setDaemon(true);
    return thread;
  }

  /** Adds {@code count} of them to {@code threads}, or as many as there are. */
  private void start(List<Thread> threads, int count, ThreadFactory factory) {
    try {
      while (threads.size() < count) {
        Thread thread = factory.newThread(this::work);
        thread.start();
        threads.add(thread);
      }
    } catch (OutOfMemoryError e) { // there are no more threads
      LOG.debug("{} of {} more threads run a call's steps", threads.size(), count, e);
    }
  }

  private void work() {
    for (int step = next.getAndIncrement(); step < steps.size(); step = next.getAndIncrement()) {
      try {
        steps.get(step).run();
      } catch (RuntimeException | Error e) {
        failures.add(e);
        next.set(steps.size());
      }
    }
  }

  /** One that is interrupted in its own step, or here, passes it on to those that still work. */
  private static void join(List<Thread> threads) {
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
          threads.forEach(Thread::interrupt);
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void throwFirst() {
    if (failures.isEmpty()) {
      return;
    }
    Throwable first = failures.get(0);
    for (Throwable later : failures.subList(1, failures.size())) {
      if (later != first) {
        first.addSuppressed(later);
      }
    }
    if (first instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) first;
  }
}
