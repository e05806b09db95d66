// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.errors.PeerFailedException;

/** Whether the peer lives: after a silence it is asked, after a longer one it is given up. */
final class PeerWatch {
  private static final int PAUSES_UNTIL_GIVEN_UP = 20;

  private final ProtocolConfig config;
  private long heardNs;
  private long askedNs;

  PeerWatch(ProtocolConfig config, long nowNs) {
    this.config = config;
    heardNs = nowNs;
    askedNs = nowNs;
  }

  void onHeard(long nowNs) {
    heardNs = nowNs;
  }

  /**
   * This process stood still, and could hear nothing: of a long pause only a part counts as
   * silence, so that nobody is given up for it. A part does, so that dead peers are given up even
   * by a process that always stands still.
   */
  void onPause(long pauseNs) {
    heardNs += Math.max(0, pauseNs - config.giveUpNs() / PAUSES_UNTIL_GIVEN_UP);
  }

  void onAsked(long nowNs) {
    askedNs = nowNs;
  }

  boolean isAskDue(long nowNs) {
    return nowNs >= nextAskNs();
  }

  boolean isGivenUp(long nowNs) {
    return nowNs - heardNs >= config.giveUpNs();
  }

  PeerFailedException failure(ChannelId id, long nowNs) {
    return new PeerFailedException(
        ("rank %s, flow %s: nothing heard for %s ms; the process died, or nothing of it gets through:"
                + " look at its output, at the cable and the switch")
            .formatted(id.peer(), id.flow(), (nowNs - heardNs) / 1_000_000));
  }

  private long nextAskNs() {
    return Math.max(heardNs, askedNs) + config.keepAliveNs();
  }

  long nextWakeNs() {
    return Math.min(nextAskNs(), heardNs + config.giveUpNs());
  }
}
