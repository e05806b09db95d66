// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Whether a cut has helped: where as much is lost of a smaller window, no queue has overflowed, and
 * the cut is taken back.
 */
final class CutTrial {
  /** After so many round trips the window before the cut is that of another time. */
  private static final int ROUNDS = 64;

  /** Less than this part of the loss before the cut means that it has helped; */
  private static final double HELPED = 0.3;

  /** where others may have filled the queue, even less than this does. */
  private static final double CROWD_HELPED = 0.5;

  private double before;
  private double mostLoss;
  private int roundsLeft;
  private long arrived;
  private long lost;

  /**
   * A window of {@code chunks}, of which {@code loss} was lost, is being cut, maybe in a crowd.
   * What was lost before a cut is often more of bursts than they take on average.
   */
  void begin(double chunks, double loss, boolean crowded) {
    before = chunks;
    mostLoss = (crowded ? CROWD_HELPED : HELPED) * loss;
    roundsLeft = ROUNDS;
    arrived = 0;
    lost = 0;
  }

  /**
   * A round trip has ended in which so much of what was sent since the cut arrived or not; unless
   * it {@code counts}, a queue may have overflowed.
   */
  void endRound(boolean counts, long arrivedChunks, long lostChunks) {
    if (roundsLeft == 0) {
      return;
    }
    roundsLeft--;
    if (counts) {
      arrived += arrivedChunks;
      lost += lostChunks;
    }
    if (roundsLeft == 0) {
      end();
    }
  }

  /** Whether as much as a window of {@code chunks} has been sent since, and it has not helped. */
  boolean isInVain(double chunks) {
    return sent() >= chunks && lost > mostLoss * sent();
  }

  long sent() {
    return arrived + lost;
  }

  long lost() {
    return lost;
  }

  /** The window before the cut; there is no trial any more. */
  double takeBack() {
    end();
    return before;
  }

  private void end() {
    roundsLeft = 0;
    arrived = 0;
    lost = 0;
  }
}
