// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Lets the queue run empty for one round trip: of the acknowledged chunks only some are replaced,
 * until what is in flight leaves part of the path idle; then each replaces two, until the window is
 * full again. Nothing is sent in a burst, so that refilling makes no queue. The round trip after
 * the fall measures the path itself, and what was lost of the fall's chunks, chance has taken.
 */
class Drain {
  private enum Phase {
    NONE,
    FALLING,
    MEASURING,
    AWAITING_LOSSES,
    COUNTED,
    REFILLING
  }

  /** Of what the empty path holds. */
  private static final double LEFT = 0.6;

  private static final int LEAST_CHUNKS = 2;

  private Phase phase = Phase.NONE;
  private double most = Double.POSITIVE_INFINITY;
  private double left;
  private double fallPerChunk;
  private long startNs;
  private long endNs;
  private long arrived;
  private long lost;

  /** Begins where {@code inFlight} chunks are in flight, and the empty path holds {@code held}. */
  void begin(double inFlight, double held, long nowNs) {
    phase = Phase.FALLING;
    left = Math.max(LEAST_CHUNKS, LEFT * held);
    most = Math.max(left, inFlight);
    fallPerChunk = 1 - left / most;
    startNs = nowNs;
    arrived = 0;
    lost = 0;
  }

  void onArrival(int chunks, double window) {
    switch (phase) {
      case NONE -> {}
      case FALLING -> fall(chunks);
      case MEASURING -> {
        arrived += chunks;
        most += chunks;
      }
      case AWAITING_LOSSES, COUNTED -> most += chunks;
      case REFILLING -> {
        most += chunks;
        if (most >= window) {
          phase = Phase.NONE;
          most = Double.POSITIVE_INFINITY;
        }
      }
    }
  }

  private void fall(int chunks) {
    most = Math.max(left, most - chunks * fallPerChunk);
  }

  void onLoss(long sentNs) {
    if (phase == Phase.FALLING) {
      fall(1);
    }
    boolean counts = phase == Phase.MEASURING || phase == Phase.AWAITING_LOSSES;
    if (counts && sentNs >= startNs && sentNs < endNs) {
      lost++;
    }
  }

  /** A round trip has ended. */
  void endRound(long nowNs) {
    phase =
        switch (phase) {
          case NONE -> Phase.NONE;
          case FALLING -> Phase.MEASURING;
          case MEASURING -> Phase.AWAITING_LOSSES;
          case AWAITING_LOSSES, COUNTED -> Phase.COUNTED;
          case REFILLING -> Phase.REFILLING;
        };
    endNs = phase == Phase.MEASURING ? nowNs : endNs;
  }

  boolean isUnderWay() {
    return phase != Phase.NONE;
  }

  /** What it was for is known; it goes on only until the window is full. */
  void refill() {
    phase = Phase.REFILLING;
  }

  /** Whether the round trip that has just ended was one of the empty path. */
  boolean hasMeasured() {
    return phase == Phase.AWAITING_LOSSES;
  }

  /** Whether {@link #arrived} and {@link #lost} are what they will be. */
  boolean hasCounted() {
    return phase == Phase.COUNTED;
  }

  long arrived() {
    return arrived;
  }

  long lost() {
    return lost;
  }

  /** The most chunks that may be in flight meanwhile. */
  double mostChunks() {
    return most;
  }
}
