// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;

/** How long a recovery may take: as long as the channel's user gave it to open. */
final class RecoveryClock {
  /** How long a word may take that says why nothing comes over the rails any more. */
  private static final long GRACE_NS = 2_000_000_000;

  private final RailsRoute route;
  private final Ticker ticker;
  private Deadline deadline;
  private long troubledNs;

  RecoveryClock(RailsRoute route, Ticker ticker) {
    this.route = route;
    this.ticker = ticker;
    deadline = route.deadline();
  }

  /** A recovery begins. */
  void start() {
    deadline = Deadline.after(ticker, route.budget());
  }

  /** Checks that there is time left while {@code what} holds it up. */
  void check(String what, RailFailures failures) {
    if (deadline.isExpired()) {
      throw new DeadlineExceededException(
          route.name()
              + ": "
              + what
              + ", "
              + route.budget().toMillis()
              + " ms after a rail failed"
              + failures.last()
              + "; look for a device or a process that stands still");
    }
  }

  /** Something fails now that the peer may explain. */
  void onTrouble() {
    troubledNs = ticker.read();
  }

  /** Whether nothing that the peer has said since the last trouble can still be under way. */
  boolean isGraceOver() {
    return ticker.read() - troubledNs > GRACE_NS;
  }
}
