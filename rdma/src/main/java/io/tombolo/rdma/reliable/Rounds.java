// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/** Round trips, one after the other: one ends when something sent after its start has arrived. */
final class Rounds {
  private long startNs = Moment.NOW;

  /** Whether a round ends with an acknowledgement of what was sent {@code rttNs} ago. */
  boolean endsWith(long rttNs, long nowNs) {
    if (nowNs - rttNs < startNs) {
      return false;
    }
    startNs = nowNs;
    return true;
  }
}
