// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A call of a vendor's library that may wait for other members for ever: it is made on a thread
 * that can be left behind in it.
 */
public final class LeavableCall {
  private static final long ROUND_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private LeavableCall() {}

  /**
   * What {@code call} returns; what it throws is thrown here.
   *
   * @param thread the thread's name
   * @throws TimeoutException if it did not return in time; the thread stays in it
   * @throws InterruptedException likewise, if the caller was interrupted
   */
  public static <T> T make(String thread, Callable<T> call, Deadline deadline)
      throws TimeoutException, InterruptedException {
    return make(thread, call, deadline, () -> {});
  }

  /**
   * As the other.
   *
   * @param look called by the waiting thread now and then; what it throws is thrown here, and the
   *     worker stays in the call
   */
  public static <T> T make(String thread, Callable<T> call, Deadline deadline, Runnable look)
      throws TimeoutException, InterruptedException {
    FutureTask<T> task = new FutureTask<>(call);
    Thread worker = new Thread(task, thread);
    worker.setDaemon(true);
    worker.start();
    while (true) {
      long waitNs = Math.max(1, Math.min(ROUND_NS, deadline.remainingNs()));
      try {
        return task.get(waitNs, TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        if (deadline.isExpired()) {
          throw e;
        }
        look.run();
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RuntimeException known
            ? known
            : new AbortedException(e.toString(), e.getCause());
      }
    }
  }
}
