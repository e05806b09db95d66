// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.TomboloException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a library close a communicator: on a thread that can be left behind, as NCCL, for one, stays
 * inside until the other members of this host close theirs, and they may do so at any time.
 */
public final class VendorClose {
  private static final Logger LOG = LoggerFactory.getLogger(VendorClose.class);

  private final FutureTask<Boolean> closing;

  private VendorClose(FutureTask<Boolean> closing) {
    this.closing = closing;
  }

  /**
   * Begins to close {@code communicator}; once that has ended well, however late, {@code onEnd} is
   * run: the library uses nothing any more.
   */
  public static VendorClose begin(CclCommunicator communicator, Runnable onEnd) {
    FutureTask<Boolean> closing =
        new FutureTask<>(
            () -> {
              close(communicator);
              onEnd.run();
              return true;
            });
    Thread thread = new Thread(closing, "tombolo-vendor-close");
    thread.setDaemon(true);
    thread.start();
    return new VendorClose(closing);
  }

  /** Perhaps nobody waits any more who could be told of a refusal. */
  private static void close(CclCommunicator communicator) {
    try {
      communicator.close();
    } catch (RuntimeException e) {
      LOG.debug("a library refuses to close a communicator: {}", e.toString());
      throw e;
    }
  }

  /** Whether it is over: the library has closed the communicator, or has refused to. */
  public boolean hasEnded() {
    return closing.isDone();
  }

  /**
   * Waits for the end, whatever interrupts this thread; false if it has not come when {@code
   * patience} is over. Then it may be asked again.
   *
   * @throws TomboloException what the library says against it
   */
  public boolean await(Deadline patience) {
    try {
      return Uninterruptibles.getUninterruptibly(
          closing, patience.remainingNs(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      LOG.debug("a library still waits for other ranks to close their communicators");
      return false;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException known
          ? known
          : new AbortedException(e.toString(), e.getCause());
    }
  }
}
