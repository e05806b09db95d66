// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.Interrupts;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.TomboloException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a library give up a communicator: on a thread that can be left behind, as an abort may get
 * stuck like what it is to end, and who has failed has others to tell.
 */
public final class VendorAbort {
  private static final Logger LOG = LoggerFactory.getLogger(VendorAbort.class);
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final FutureTask<Boolean> abort;

  private VendorAbort(FutureTask<Boolean> abort) {
    this.abort = abort;
  }

  /**
   * Begins to abort {@code communicator}, whose library can; once that has given up, however late,
   * {@code onEnd} is run.
   */
  public static VendorAbort begin(CclCommunicator communicator, Runnable onEnd) {
    FutureTask<Boolean> abort =
        new FutureTask<>(
            () -> {
              communicator.abort();
              onEnd.run();
              return true;
            });
    Thread thread = new Thread(abort, "tombolo-vendor-abort");
    thread.setDaemon(true);
    thread.start();
    return new VendorAbort(abort);
  }

  /**
   * Aborts {@code communicator}, and {@linkplain #await waits} for that, also on a thread that was
   * interrupted before. If it has not ended then, {@code device} is tainted until it has: the
   * library may still use what would be freed.
   */
  public static void of(CclCommunicator communicator, DeviceAdaptor device) {
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    try {
      VendorAbort abort = begin(communicator, () -> end.complete(true));
      Interrupts.aside(abort::await);
    } finally {
      if (!end.isDone()) {
        device.taint();
        CompletableFuture<Void> unused = end.thenRun(device::endTaint);
      }
    }
  }

  /**
   * Waits for the end, two seconds at most. The thread may be interrupted, and stays so; then
   * nobody waits.
   *
   * @throws TomboloException what the library says against it
   */
  public void await() {
    try {
      boolean unused = abort.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      LOG.warn("the library's abort has not ended within {}: it is left behind", PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException known
          ? known
          : new AbortedException(e.toString(), e.getCause());
    }
  }
}
