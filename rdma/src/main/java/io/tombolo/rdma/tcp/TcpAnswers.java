// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.tcp;

import io.tombolo.base.WakeUps;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Whether the other end's kernel answers what was sent to it. One that is cut off does not, and TCP
 * would ask it again for a quarter of an hour; keep-alive begins only when all is answered. A
 * process that is slow or stopped has a kernel that answers for it. Used by one thread.
 */
final class TcpAnswers {
  /** How often one looks while something is unanswered. */
  static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Duration silence;
  private final LongSupplier clock;
  private final LongSupplier unanswered;
  private boolean isOutstanding;
  private boolean isInVain;
  private long lookedNs;
  private long inVainNs;

  /**
   * Nothing has been sent yet.
   *
   * @param silence how long answers may be missing; zero: for ever
   * @param clock in nanoseconds
   * @param unanswered as {@link TcpSystem#unanswered0}
   */
  TcpAnswers(Duration silence, LongSupplier clock, LongSupplier unanswered) {
    this.silence = silence;
    this.clock = clock;
    this.unanswered = unanswered;
  }

  /** Something was sent. */
  void sent() {
    isOutstanding = !silence.isZero();
  }

  /** Throws if answers have been missing for too long. */
  void check() throws SocketTimeoutException {
    if (!isOutstanding || clock.getAsLong() - lookedNs < LOOK_NS) {
      return;
    }
    lookedNs = clock.getAsLong();
    long seen = unanswered.getAsLong();
    isOutstanding = seen > 0;
    if (seen <= 1) {
      isInVain = false;
      return;
    }
    if (!isInVain) {
      isInVain = true;
      inVainNs = lookedNs;
    }
    // Before something was sent again in vain, nothing needed to come.
    long missingMs = Math.min(seen - 1, TimeUnit.NANOSECONDS.toMillis(lookedNs - inVainNs));
    if (missingMs >= silence.toMillis()) {
      throw missing(missingMs);
    }
  }

  /** What is said of a host that has answered nothing for so long. */
  static SocketTimeoutException missing(long ms) {
    return new SocketTimeoutException(
        "its host has answered nothing for %s ms: it is down or cut off; look at the cable, the switch and the firewall"
            .formatted(ms));
  }

  /** As long as something is unanswered, one has to look. */
  void awaits(WakeUps wakeUps) {
    if (isOutstanding) {
      wakeUps.within(LOOK_NS);
    }
  }
}
