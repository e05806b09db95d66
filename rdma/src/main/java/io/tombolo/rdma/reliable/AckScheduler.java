// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * When to acknowledge: every few chunks, at once on a gap, a duplicate, a filled hole or the last
 * chunk of a message, else within the longest delay. Remembers what the acknowledgement will echo.
 */
final class AckScheduler {
  private final int ackEvery;
  private final long maxAckDelayNs;
  private int unacked;
  private boolean atOnce;
  private long heldSinceNs;
  private long newestNs;
  private long newestPsn;
  private int newestAttempt;
  private boolean fresh;
  private boolean duplicate;
  private int marked;

  AckScheduler(int ackEvery, long maxAckDelayNs, long firstPsn) {
    this.ackEvery = ackEvery;
    this.maxAckDelayNs = maxAckDelayNs;
    this.newestPsn = firstPsn - 1;
  }

  void onArrival(long psn, int attempt, boolean isDuplicate, boolean urgent, long nowNs) {
    if (unacked++ == 0) {
      heldSinceNs = nowNs;
    }
    newestNs = nowNs;
    newestPsn = psn;
    newestAttempt = attempt;
    fresh = true;
    duplicate = isDuplicate;
    atOnce |= urgent || isDuplicate;
  }

  /** A packet came with the mark of a queue that is long (RFC 3168). */
  void onMark() {
    marked++;
  }

  /** The peer asks, or something arrived that can only mean it does not know. */
  void onAsked() {
    atOnce = true;
  }

  boolean isDue(long nowNs) {
    return atOnce || unacked >= ackEvery || nowNs >= deadlineNs();
  }

  long deadlineNs() {
    return atOnce ? Moment.NOW : unacked == 0 ? Moment.NEVER : heldSinceNs + maxAckDelayNs;
  }

  /** An acknowledgement has left; its echo must not be taken for a new arrival again. */
  void onSent() {
    unacked = 0;
    atOnce = false;
    fresh = false;
  }

  long newestPsn() {
    return newestPsn;
  }

  int newestAttempt() {
    return newestAttempt;
  }

  /** What the echo means, as the wire says it. */
  int echoFlags() {
    return (fresh ? PacketCodec.ECHO_FRESH : 0) | (duplicate ? PacketCodec.ECHO_DUPLICATE : 0);
  }

  /** Packets that have come marked since the beginning; the wire has the lowest byte of it. */
  int marked() {
    return marked;
  }

  /** How long its echo has waited; 0 if that is no news, or nothing has come at all. */
  long heldBackNs(long nowNs) {
    return fresh ? nowNs - newestNs : 0;
  }
}
