// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Asks the peer what it has received, by a PING that is repeated with back-off for as long as the
 * answer is wanted.
 */
final class PeerQuestion {
  private final Wire wire;
  private int times;
  private long dueNs = Moment.NEVER;

  PeerQuestion(Wire wire) {
    this.wire = wire;
  }

  /** An answer is wanted: at once, if it was not before. */
  void want() {
    if (dueNs == Moment.NEVER) {
      dueNs = Moment.NOW;
    }
  }

  boolean isWanted() {
    return dueNs != Moment.NEVER;
  }

  /** No answer is wanted any more. */
  void rest() {
    times = 0;
    dueNs = Moment.NEVER;
  }

  /** Asks if that is due; how often. */
  int poll(long nowNs) {
    if (nowNs < dueNs || !wire.sendBare(PacketCodec.PING)) {
      return 0;
    }
    dueNs = nowNs + wire.rtt.rtoNs(++times);
    return 1;
  }

  long nextWakeNs() {
    return dueNs;
  }
}
