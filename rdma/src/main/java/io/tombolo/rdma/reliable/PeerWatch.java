package io.tombolo.rdma.reliable;

import io.tombolo.base.errors.PeerFailedException;

/** Whether the peer lives: after a silence it is asked, after a longer one it is given up. */
final class PeerWatch {
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
        "rank %d, flow %d: nothing heard for %d ms; the process died, or nothing of it gets through"
            .formatted(id.peer(), id.flow(), (nowNs - heardNs) / 1_000_000));
  }

  private long nextAskNs() {
    return Math.max(heardNs, askedNs) + config.keepAliveNs();
  }

  long nextWakeNs() {
    return Math.min(nextAskNs(), heardNs + config.giveUpNs());
  }
}
