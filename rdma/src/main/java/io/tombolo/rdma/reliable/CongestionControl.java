// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/** How many chunks may be in flight. */
interface CongestionControl {
  /**
   * A round trip of {@code rttNs} was measured while {@code ackedChunks} were acknowledged; for
   * {@code pausedNs} of it this process itself did not run.
   */
  void onAck(long rttNs, long pausedNs, long minRttNs, int ackedChunks, long nowNs);

  /** A chunk was found lost; who takes delay for the sign of congestion does not mind. */
  default void onLoss(long srttNs, long nowNs) {}

  /** Chunks that may be in flight. */
  int windowChunks();
}
