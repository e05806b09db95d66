// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import com.google.common.base.Ticker;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.TomboloException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Channels that have closed, and whose memory is not free yet. Copies and last messages that are
 * under way end in a moment. What a device refuses to let go of, as a NIC does that the kernel is
 * about to take away, is tried again now and then: each time is a call into the kernel.
 */
final class Retired {
  private static final Logger log = LoggerFactory.getLogger(Retired.class);

  private final String owner;
  private final RetryPause pause;
  private final List<StagedChannel> ending = new ArrayList<>();
  private final List<StagedChannel> refused = new ArrayList<>();
  private String refusal = "";

  /** Nobody yet; {@code owner} is whose channels they will be, for the log. */
  Retired(String owner, Ticker ticker) {
    this.owner = owner;
    this.pause = new RetryPause(ticker);
  }

  /** Takes {@code channel} unless it is free at once. */
  void add(StagedChannel channel) {
    if (!leaves(channel)) {
      ending.add(channel);
    }
  }

  /** Lets those go that are free by now. */
  void progress() {
    if (!refused.isEmpty() && pause.isOver()) {
      ending.addAll(refused);
      refused.clear();
    }
    if (!ending.isEmpty()) { // a round makes no garbage while nobody ends
      ending.removeIf(this::leaves);
    }
    if (refused.isEmpty()) {
      refusal = "";
    }
  }

  /** Those that were refused are tried with the next round. */
  void endPause() {
    pause.end();
  }

  /** Whether {@code channel} no longer belongs to those that are ending. */
  private boolean leaves(StagedChannel channel) {
    try {
      if (!channel.tryFree()) {
        return false;
      }
      pause.end();
      return true;
    } catch (TomboloException e) {
      if (refusal.isEmpty()) {
        log.warn("{} cannot free a channel yet, and tries again: {}", owner, e.getMessage());
      }
      refusal = e.getMessage();
      refused.add(channel);
      pause.onRefusal();
      return true;
    }
  }

  /** Leaves the slots of those behind that are still here, to whatever touches them. */
  void abandon() {
    ending.forEach(this::abandon);
    refused.forEach(this::abandon);
  }

  private void abandon(StagedChannel channel) {
    try {
      channel.abandon();
    } catch (TomboloException e) { // the NIC will not be closed either, and that is told
      log.debug("{} cannot leave a channel behind: {}", owner, e.getMessage());
    }
  }

  int count() {
    return ending.size() + refused.size();
  }

  /** What the last refusal said, for the end of a line in the log; empty if none is refused. */
  String why() {
    return refused.isEmpty() ? "" : " (" + refusal + ")";
  }

  /** Whether some may be free with the next round. */
  boolean areEnding() {
    return !ending.isEmpty();
  }

  /** As {@link io.tombolo.rdma.Fabric#awaits}, of those that are to be tried again. */
  void awaits(WakeUps wakeUps) {
    if (!refused.isEmpty()) {
      pause.awaits(wakeUps);
    }
  }
}
