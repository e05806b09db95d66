// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/** How much of a congestion window was used in this round trip and the one before. */
final class WindowUse {
  private long roundEndNs = Moment.NOW;
  private int most;
  private int formerMost;

  /** So many chunks are in flight. */
  void note(int inFlightChunks) {
    most = Math.max(most, inFlightChunks);
  }

  /** Whether half of {@code chunks} were in flight at once. */
  boolean isAtLeastHalfOf(double chunks, long rttNs, long nowNs) {
    if (nowNs >= roundEndNs) {
      roundEndNs = nowNs + rttNs;
      formerMost = most;
      most = 0;
    }
    return 2 * Math.max(most, formerMost) >= chunks;
  }
}
