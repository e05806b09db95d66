// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * What a sender says that has messages and no clear-to-send: a receiver that is short of slots
 * gives them to those who ask. One that is under way comes within a round trip; after that it is
 * asked for, again and again with back-off, until it comes. So a request that is lost costs time
 * only, and one that comes again says nothing new.
 */
final class GrantRequest {
  /** More clear-to-sends than these are not asked for at once, and a request for more is none. */
  static final int MOST = 1 << 20;

  private static final int MAX_DOUBLINGS = 20;

  private final Wire wire;
  private long awaited = -1;
  private int transmissions;
  private long dueNs = Moment.NEVER;

  GrantRequest(Wire wire) {
    this.wire = wire;
  }

  /** Nothing is lacking. */
  void rest() {
    awaited = -1;
    dueNs = Moment.NEVER;
  }

  /**
   * Asks if that is due; how often.
   *
   * @param next number of the clear-to-send that is lacking
   * @param needed those with lower numbers are what all messages take
   */
  int poll(long next, long needed, long nowNs) {
    if (next != awaited) {
      awaited = next;
      transmissions = 0;
      dueNs = nowNs + wire.rtt.srttNs();
    }
    if (nowNs < dueNs
        || !wire.sender.sendControl(PacketCodec.request(wire.buffer(), wire.id, needed))) {
      return 0;
    }
    wire.counters.grantsRequested++;
    long backOffNs = wire.rtt.rtoNs() << Math.min(transmissions++, MAX_DOUBLINGS);
    dueNs = nowNs + Math.min(backOffNs, wire.config.keepAliveNs());
    return 1;
  }

  long nextWakeNs() {
    return dueNs;
  }
}
