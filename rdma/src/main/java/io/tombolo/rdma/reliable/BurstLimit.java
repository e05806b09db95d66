// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Of each acknowledged chunk two may be sent at once, whatever the window says: room that a loss or
 * a larger window makes all at once would else go out in a burst that no queue holds (proportional
 * rate reduction, RFC 6937). Where nothing is in flight, nothing that comes would let more go.
 */
final class BurstLimit {
  private static final int PER_CHUNK = 2;

  /** RFC 6928, in chunks of one packet. */
  private static final int AFTER_IDLE_CHUNKS = 16;

  private static final int AFTER_TIMEOUT_CHUNKS = 4;

  private int most = AFTER_IDLE_CHUNKS;
  private int ackedSinceSent;

  /** {@code acked} chunks have left those in flight, of which {@code inFlight} are left. */
  void onArrival(int inFlight, int acked) {
    ackedSinceSent += acked;
    most = inFlight + PER_CHUNK * ackedSinceSent + 1;
  }

  /** What might be sent has been. */
  void onSent() {
    ackedSinceSent = 0;
  }

  /** Chunks that may be in flight where {@code window} may be; nothing has been sent lately. */
  void onIdle(int window) {
    most = Math.max(most, Math.max(AFTER_IDLE_CHUNKS, window / 2));
  }

  /** All that was in flight has been given up. */
  void onTimeout() {
    most = AFTER_TIMEOUT_CHUNKS;
  }

  /** Chunks that may be in flight now. */
  int mostChunks() {
    return most;
  }
}
