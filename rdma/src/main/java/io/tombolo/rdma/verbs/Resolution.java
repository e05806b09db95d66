// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.base.Ticker;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.staged.RetryPause;
import java.io.EOFException;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * How often, and for how long, the kernel could not tell under which Ethernet address a peer's port
 * is. It asks the network for that (ARP, or neighbour discovery) within the call that connects a
 * queue pair or makes an address, and gives the call up with ETIMEDOUT after about a second: lost
 * packets are enough for that, so it is asked again. Nothing else of this thread moves within such
 * a call, but between two of them, whose pauses grow to as much. Used by one thread.
 */
final class Resolution {
  private static final String ADVICE =
      "the kernel has not found that address in the network (ARP, or neighbour discovery): look at"
          + " 'ip neigh' and ping from the one host to the other, at the cables, at VLANs and at"
          + " firewalls, or give the neighbour a fixed entry (ip neigh replace)";

  private final NicPort nic;
  private final Ticker ticker;
  private final RetryPause pause;
  private int failures;
  private long sinceNs;

  Resolution(NicPort nic, Ticker ticker) {
    this.nic = nic;
    this.ticker = ticker;
    this.pause = new RetryPause(ticker);
  }

  /** Makes {@code call}, if it is time for it; whether it has done what it does. */
  boolean attempt(BooleanSupplier call) {
    return pause.isOver() && call(call);
  }

  /** The same, whether it is time for it or not. */
  boolean call(BooleanSupplier call) {
    long fromNs = ticker.read();
    if (call.getAsBoolean()) {
      failures = 0;
      return true;
    }
    sinceNs = failures == 0 ? fromNs : sinceNs;
    failures++;
    pause.onRefusal();
    return false;
  }

  /** Whether the last call has failed, so that another one is to come. */
  boolean isFailing() {
    return failures > 0;
  }

  /** How long it has been failing. */
  long failingNs() {
    return failures == 0 ? 0 : ticker.read() - sinceNs;
  }

  /** Goes on with {@code words}; a peer that gives up meanwhile may have the same trouble. */
  int exchange(PairExchange words) throws IOException {
    try {
      return words.progress();
    } catch (EOFException e) {
      throw isFailing()
          ? new EOFException(e.getMessage() + "; here, " + text(words.peer().orElseThrow().port()))
          : e;
    }
  }

  /** What it came to, for people, on the way to {@code peer}. */
  String text(PortCard peer) {
    return "its address, "
        + peer
        + ", was not resolved by "
        + failures
        + (failures == 1 ? " call" : " calls")
        + " within "
        + failingNs() / 1_000_000
        + " ms, from "
        + nic
        + " (Connection timed out, errno 110); "
        + ADVICE;
  }

  /** As {@link io.tombolo.rdma.Fabric#awaits}, while it is failing. */
  void awaits(WakeUps wakeUps) {
    pause.awaits(wakeUps);
  }
}
