// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import io.tombolo.rdma.lab.gobackn.GoBackNSender;
import io.tombolo.rdma.lab.simulated.SimulatedGoBackN;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;

/** Go-back-N in simulated time. */
final class SimulatedGoBackNCandidate implements Candidate {
  private final String name;

  SimulatedGoBackNCandidate(String name) {
    this.name = name;
  }

  @Override
  public LossResult run(Trial trial) {
    SimulatedNetwork network = new SimulatedNetwork(trial.faults().seed(), trial.plan(), 2);
    GoBackNTuning tuning = GoBackNTuning.of(trial);
    GoBackNSender sender =
        SimulatedGoBackN.run(
            network,
            trial.packetBytes(),
            tuning.windowChunks(),
            tuning.timeoutNs(),
            trial.packets());
    return tuning.outcome(
        SimulatedCandidate.FABRIC, name, sender, network.wireBytes(), network.nowNs());
  }
}
