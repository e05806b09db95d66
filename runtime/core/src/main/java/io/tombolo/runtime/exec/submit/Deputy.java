// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import java.util.concurrent.locks.LockSupport;

/**
 * Goes into a library that may not give a thread back, in the place of a caller who has to be able
 * to leave. The caller sleeps meanwhile: it is woken once, at the end, and takes no core from those
 * who are waited for, of which there may be one for each rank and no more.
 */
public final class Deputy {
  private final Stream stream;

  /** Works on the thread of {@code stream}, where the library's queued calls are made, too. */
  public Deputy(Stream stream) {
    this.stream = stream;
  }

  /** A task, and who sleeps until it has ended. */
  private static final class Errand implements Runnable {
    private final Runnable task;
    private final Thread caller = Thread.currentThread();
    private volatile boolean over;

    Errand(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      try {
        task.run();
      } finally {
        over = true;
        LockSupport.unpark(caller);
      }
    }

    /** An interrupt ends the wait, too, and stays with the thread. */
    void await(Deadline patience) {
      while (!over && !patience.isExpired() && !Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(patience.remainingNs());
      }
    }
  }

  /**
   * Has {@code task}, which throws nothing, run there; returns when it has ended, {@code patience}
   * is over, or the calling thread is interrupted.
   */
  void run(Runnable task, Deadline patience) {
    Errand errand = new Errand(task);
    stream.launchHostFunction(errand);
    errand.await(patience);
  }
}
