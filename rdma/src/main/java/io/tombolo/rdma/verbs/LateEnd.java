// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.errors.TomboloException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what was closed while {@link RestingPairs} still had some, once nothing can be under way to
 * those any more. Until then their numbers are nobody else's, whoever opens the device next. On a
 * thread of its own, so that closing keeps nobody waiting; if the process ends first, the kernel
 * ends all.
 */
final class LateEnd implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(LateEnd.class);

  /** Who interrupts it wants the end at once. */
  static final String THREAD = "tombolo-late-end";

  private static final Duration REST = Duration.ofNanos(LossySizing.PACKET_LIFE_NS);

  /** A device that refuses for longer is left to the end of the process. */
  private static final int TRIES = 60;

  private final String what;
  private final Runnable end;

  private LateEnd(String what, Runnable end) {
    this.what = what;
    this.end = end;
  }

  /** Runs {@code end}, which ends {@code what} and can be tried again, after the rest. */
  static void of(String what, Runnable end) {
    Thread thread = new Thread(new LateEnd(what, end), THREAD);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void run() {
    boolean ended = false;
    for (int tries = 0; tries < TRIES && !ended; tries++) {
      rest();
      ended = tryEnd();
    }
    if (!ended) {
      log.warn("{} was not let go of: it ends with the process", what);
    }
  }

  private static void rest() {
    try {
      Thread.sleep(REST.toMillis());
    } catch (InterruptedException e) {
      log.debug("the rest ends early");
    }
  }

  private boolean tryEnd() {
    try {
      end.run();
      return true;
    } catch (TomboloException e) {
      log.debug("{} is tried again: {}", what, e.getMessage());
      return false;
    }
  }
}
