// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.Deadline;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** A call on a thread of its own, which is expected to be held up. */
public final class HeldCall<T> {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final long LOOK_NS = 100_000;

  private final FutureTask<T> result;
  private final Thread thread;

  private HeldCall(FutureTask<T> result) {
    this.result = result;
    this.thread = new Thread(result, "held call");
    thread.setDaemon(true);
  }

  public static <T> HeldCall<T> start(Callable<T> call) {
    HeldCall<T> held = new HeldCall<>(new FutureTask<>(call));
    held.thread.start();
    return held;
  }

  /** Waits until it is in {@code method} of {@code place}; fails if it ends without. */
  public HeldCall<T> awaitIn(Class<?> place, String method) {
    awaitIn(thread, place, method);
    return this;
  }

  /** Waits until {@code thread} is in {@code method} of {@code place}; fails if it ends without. */
  public static void awaitIn(Thread thread, Class<?> place, String method) {
    String where = place.getName() + "." + method;
    Deadline deadline = Deadline.after(LIMIT);
    while (!isIn(thread, place, method)) {
      if (!thread.isAlive()) {
        throw new AssertionError("the call ended, and was not held in " + where);
      }
      if (deadline.isExpired()) {
        throw new AssertionError(
            "not in " + where + " but " + Arrays.toString(thread.getStackTrace()));
      }
      LockSupport.parkNanos(LOOK_NS);
    }
  }

  private static boolean isIn(Thread thread, Class<?> place, String method) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(
            frame ->
                frame.getClassName().equals(place.getName())
                    && frame.getMethodName().equals(method));
  }

  /** The thread of its own. */
  public Thread thread() {
    return thread;
  }

  public boolean isDone() {
    return result.isDone();
  }

  /** What it returned; an {@link ExecutionException} with what it threw. */
  public T get() throws InterruptedException, ExecutionException, TimeoutException {
    return result.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }
}
