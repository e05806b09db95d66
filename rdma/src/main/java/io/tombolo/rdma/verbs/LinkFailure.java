// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.TomboloException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Why a {@link LossyLink} carries nothing any more, and whose failure that is. */
final class LinkFailure {
  private static final Logger log = LoggerFactory.getLogger(LinkFailure.class);

  private final LossyPort port;
  private final PeerEnd end;
  private final LateWord event = new LateWord();
  private String broken = "";
  private Optional<TomboloException> refusal = Optional.empty();
  private boolean copyLost;

  /** Of the link whose queue pairs are those of {@code end}, or the one of all datagrams. */
  LinkFailure(LossyPort port, PeerEnd end) {
    this.port = port;
    this.end = end;
  }

  boolean isThere() {
    return !broken.isEmpty() || refusal.isPresent() || !port.failure().isEmpty();
  }

  /** Throws it, if it {@link #isThere}, and once it is known whose it is. */
  void check(long nowNs) throws IOException {
    if (!broken.isEmpty() || !port.failure().isEmpty()) {
      checkBroken(nowNs);
    } else if (refusal.isPresent()) {
      throw refusal.get();
    }
  }

  /**
   * Throws why nothing goes any more. What our NIC says or has refused is its own, and no peer's,
   * unless it says that the peer has broken the pair. The event that says so may come after what it
   * tells of: it has a moment. If there is none, it is our NIC's, too: of an unreliable pair whose
   * peer has broken it, there is one.
   */
  private void checkBroken(long nowNs) throws IOException {
    String why = broken.isEmpty() ? port.failure() : broken;
    askDevice(why);
    if (broken.isEmpty() && port.refusal().isPresent()) {
      throw FabricException.of(why, port.refusal().get());
    }
    NicEvents events = port.nic().events();
    numbers().forEach(pair -> events.checkPair(pair, why + "; "));
    Optional<String> cause =
        numbers().stream().flatMap(pair -> events.failureOf(pair).stream()).findFirst();
    if (cause.isPresent()) {
      throw new IOException(why + "; " + cause.get());
    }
    if (event.isTooLate(nowNs)) {
      throw new FabricException(why + "; see dmesg", WorkCompletions.FLUSHED);
    }
  }

  /** The device may know more of {@code failure}. */
  void askDevice(String failure) {
    NicEvents events = port.nic().events();
    try {
      events.progress();
    } catch (TomboloException e) {
      log.debug("{} says no more of it: {}", port.nic(), e.getMessage());
    }
    events.check(failure);
  }

  /**
   * Throws what the device says. Nothing else tells of a device, and of pairs, that are dead
   * without a request of theirs having failed.
   */
  void checkDevice() throws IOException {
    NicEvents events = port.nic().events();
    events.progress();
    events.checkDevice();
    for (int pair : numbers()) {
      events.checkPair(pair, port.nic() + ": ");
      Optional<String> failure = events.failureOf(pair);
      if (failure.isPresent()) {
        throw new IOException(failure.get() + " on " + port.nic());
      }
    }
  }

  /** Those of the queue pairs that it needs: its own, or the one of all datagrams. */
  private List<Integer> numbers() {
    return end.pairs().isEmpty() ? List.of(port.datagrams().pair().number()) : end.pairs();
  }

  /**
   * Throws if nobody can tell whether a copy is over: who asks again now and then costs nobody
   * anything by that.
   */
  void checkCopies() {
    if (copyLost) {
      throw refusal.orElseThrow();
    }
  }

  /** What was said first tells most: all that follows on that pair is flushed. */
  void onBroken(String why) {
    if (broken.isEmpty()) {
      broken = why;
    }
  }

  /** A device has refused something of this link's, maybe in another's call: this one fails. */
  void onRefused(TomboloException why) {
    if (refusal.isEmpty()) {
      refusal = Optional.of(why);
    }
  }

  /** Nobody can tell any more whether a device still copies into a slot. */
  void onCopyLost(TomboloException why) {
    onRefused(why);
    copyLost = true;
  }

  /** The NIC takes no requests; datagrams have a queue pair in common, and so a failure. */
  void onPostRefused(TomboloException why) {
    if (end.pairs().isEmpty()) {
      port.onDatagramsRefused(why);
    } else {
      onRefused(why);
    }
  }
}
