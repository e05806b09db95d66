// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.simulated;

import io.tombolo.rdma.faulty.Dice;
import io.tombolo.rdma.faulty.FaultPlan;

/**
 * When one process runs on a machine with fewer cores than processes: it has its turn, and then
 * others have theirs, while its NIC goes on.
 */
final class SimulatedTurns {
  private final Dice dice;
  private long startNs;
  private long endNs;
  private long pauseNs;

  SimulatedTurns(Dice dice) {
    this.dice = dice;
  }

  /** The first moment at {@code nowNs} or later at which the process runs; asked in order. */
  long nextNs(FaultPlan plan, long nowNs) {
    if (plan.pauseMeanNs() == 0) {
      return nowNs;
    }
    while (nowNs >= endNs) {
      long stoodStillNs = dice.exponential(plan.pauseMeanNs());
      pauseNs += stoodStillNs;
      startNs = endNs + stoodStillNs;
      endNs = startNs + 1 + dice.exponential(plan.turnMeanNs());
    }
    return Math.max(nowNs, startNs);
  }

  /** For how long it has stood still since this was asked last. */
  long takePauseNs() {
    long sinceNs = pauseNs;
    pauseNs = 0;
    return sinceNs;
  }
}
