// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * When to probe for a lost tail: 2·SRTT + the peer's acknowledgement delay after the last sign of
 * progress, once, and never later than the timeout (RFC 8985 §7).
 */
final class TailLossProbe {
  private final long maxAckDelayNs;
  private long armedNs;
  private boolean armed;

  TailLossProbe(long maxAckDelayNs) {
    this.maxAckDelayNs = maxAckDelayNs;
  }

  /** Something new was sent or acknowledged: the silence begins anew. */
  void arm(long nowNs) {
    armed = true;
    armedNs = nowNs;
  }

  /** A probe was sent, or nothing is in flight. */
  void disarm() {
    armed = false;
  }

  long deadlineNs(RttEstimator rtt) {
    return armed ? armedNs + Math.min(2 * rtt.srttNs() + maxAckDelayNs, rtt.rtoNs()) : Moment.NEVER;
  }
}
