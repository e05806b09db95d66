// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.agent.LeavableCall;
import java.time.Duration;
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

  private VendorAbort() {}

  /**
   * Aborts {@code communicator}, whose library can; returns after two seconds at most. The thread
   * may be interrupted, and stays so; then nobody waits for the end.
   *
   * @throws TomboloException what the library says against it
   */
  public static void of(CclCommunicator communicator) {
    of(communicator, () -> {});
  }

  /** As the other; once the library has given up, however late, {@code onEnd} is run. */
  public static void of(CclCommunicator communicator, Runnable onEnd) {
    try {
      boolean unused =
          LeavableCall.make(
              "tombolo-vendor-abort",
              () -> {
                communicator.abort();
                onEnd.run();
                return true;
              },
              Deadline.after(PATIENCE));
    } catch (TimeoutException e) {
      LOG.warn("the library's abort has not ended within {}: it is left behind", PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
