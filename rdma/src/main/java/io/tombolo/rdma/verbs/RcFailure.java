// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.errors.FabricException;
import java.io.IOException;
import java.util.Optional;

/** Why a queue pair of {@code rc} carries nothing any more, and whose failure that is. */
final class RcFailure {
  private final NicPort nic;
  private final int pair;
  private final LateWord word = new LateWord();
  private String flushed = "";

  RcFailure(NicPort nic, int pair) {
    this.nic = nic;
    this.pair = pair;
  }

  /** A request was flushed, {@code what}: which says that the pair broke, and not why. */
  void onFlushed(String what) {
    if (flushed.isEmpty()) {
      flushed = what;
    }
  }

  /** Whether the pair is broken, and it may not be known yet why. */
  boolean isThere() {
    return !flushed.isEmpty() || word.isDue();
  }

  /**
   * Throws why the pair broke; nothing that has completed says it. A request that has failed tells
   * more than the device's event, and whose failure it is: it may come after the event, as the
   * event may come after what was flushed. Both have a moment. If there is neither, it is our
   * NIC's: a peer that has broken the pair fails a request of ours, or there is an event.
   */
  void check(long nowNs) throws IOException {
    NicEvents events = nic.events();
    events.progress();
    if (flushed.isEmpty()) {
      events.checkDevice();
    } else {
      events.check(flushed);
    }
    if (!word.isTooLate(nowNs)) {
      return;
    }
    events.checkPair(pair, flushed.isEmpty() ? nic + ": " : flushed + "; ");
    Optional<String> event = events.failureOf(pair);
    if (event.isPresent()) {
      throw new IOException(
          flushed.isEmpty() ? event.get() + " on " + nic : flushed + "; " + event.get());
    }
    throw new FabricException(flushed + "; see dmesg", WorkCompletions.FLUSHED);
  }
}
