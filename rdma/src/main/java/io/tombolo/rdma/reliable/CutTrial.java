// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Whether a cut has helped: where as much is lost of a smaller window, no queue has overflowed, and
 * the cut is taken back.
 */
final class CutTrial {
  private static final int ROUNDS = 16;

  /** Less than this part of the loss before the cut means that it has helped. */
  private static final double HELPED = 0.5;

  private double before;
  private double suspectedLoss;
  private int roundsLeft;
  private long arrived;
  private long lost;

  /** A window of {@code chunks}, of which {@code loss} was lost, is being cut. */
  void begin(double chunks, double loss) {
    before = chunks;
    suspectedLoss = loss;
    roundsLeft = ROUNDS;
    arrived = 0;
    lost = 0;
  }

  /** A round trip has ended in which so much of what was sent since the cut arrived or not. */
  void endRound(long arrivedChunks, long lostChunks) {
    if (roundsLeft > 0) {
      roundsLeft--;
      arrived += arrivedChunks;
      lost += lostChunks;
    }
  }

  /** Whether as much as a window of {@code chunks} has been sent since, and it has not helped. */
  boolean isInVain(double chunks) {
    return sent() >= chunks && lost > HELPED * suspectedLoss * sent();
  }

  long sent() {
    return arrived + lost;
  }

  long lost() {
    return lost;
  }

  /** The window before the cut; there is no trial any more. */
  double takeBack() {
    roundsLeft = 0;
    arrived = 0;
    lost = 0;
    return before;
  }
}
