// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.base.Ticker;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.staged.RetryPause;
import java.io.EOFException;
import java.io.IOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * How often, and for how long, the kernel could not tell under which Ethernet address a peer's port
 * is. It asks the network for that (ARP, or neighbour discovery) within the call that connects a
 * queue pair or makes an address, and gives the call up with ETIMEDOUT after about a second: lost
 * packets are enough for that, so it is asked again, after pauses that grow to as much. The port's
 * {@link Resolver} makes these calls, so that nobody's round waits for one. Used by one thread.
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
  private Optional<AddressCall> underWay = Optional.empty();
  private long fromNs;

  Resolution(NicPort nic, Ticker ticker) {
    this.nic = nic;
    this.ticker = ticker;
    this.pause = new RetryPause(ticker);
  }

  /**
   * Has {@code call} made, if it is time for it; whether the one before has done what it does.
   * Never blocks. What the call touches is nobody else's {@linkplain #isUnderWay meanwhile}.
   */
  boolean attempt(BooleanSupplier call) {
    if (underWay.isEmpty()) {
      if (pause.isOver()) {
        underWay = Optional.of(nic.resolver().submit(() -> make(call), failures));
      }
      return false;
    }
    AddressCall made = underWay.get();
    if (!made.isOver()) {
      return false;
    }
    underWay = Optional.empty();
    return count(made.outcome());
  }

  /** Makes {@code call} at once, on this thread, for those who may block; whether that is done. */
  boolean call(BooleanSupplier call) {
    return count(make(call));
  }

  /** On the thread that it is made on: for as long as it waited there nothing was tried. */
  private boolean make(BooleanSupplier call) {
    fromNs = ticker.read();
    return call.getAsBoolean();
  }

  private boolean count(boolean isDone) {
    if (isDone) {
      failures = 0;
      return true;
    }
    sinceNs = failures == 0 ? fromNs : sinceNs;
    failures++;
    pause.onRefusal();
    return false;
  }

  /** Whether a call is under way, or about to be. */
  boolean isUnderWay() {
    return underWay.isPresent() && !underWay.get().isOver();
  }

  /** A call that has not begun is not made any more. */
  void cancel() {
    underWay.ifPresent(AddressCall::cancel);
  }

  /** The same; waits for one that has begun, about a second at most. */
  void end() {
    underWay.ifPresent(AddressCall::end);
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

  /** What it came to, or why to nothing yet, for people, on the way to {@code peer}. */
  String text(PortCard peer) {
    if (failures == 0) {
      return "the kernel has not said yet whether it finds its address, "
          + peer
          + ", from "
          + nic
          + ": it looks for one after the other, for others' first or for this one now; see what"
          + " became of the channels to other peers";
    }
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

  /** As {@link io.tombolo.rdma.Fabric#awaits}: nothing tells that a call is over, or due again. */
  void awaits(WakeUps wakeUps) {
    if (underWay.isPresent()) { // also if it is over, and nobody has seen that
      wakeUps.soon();
    } else if (isFailing()) {
      pause.awaits(wakeUps);
    }
  }
}
