// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/** How many chunks may be in flight. */
interface CongestionControl {
  /**
   * A round trip of {@code rttNs} was measured while {@code ackedChunks} were acknowledged; for
   * {@code pausedNs} of it this process itself did not run.
   */
  void onAck(long rttNs, long pausedNs, int ackedChunks, long nowNs);

  /** So many chunks are in flight now, as many as may be or as there are to be sent. */
  default void onUse(int inFlightChunks) {}

  /** {@code chunks} were acknowledged for the first time, whatever that tells of round trips. */
  default void onArrival(int chunks) {}

  /** A chunk that was sent at {@code sentNs} was found lost. */
  default void onLoss(long sentNs, long nowNs) {}

  /** The receiver has told of so many more packets that came marked. */
  default void onMarks(int packets) {}

  /** Chunks that may be in flight. */
  int windowChunks();
}
