// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import com.google.common.base.Ticker;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UsageException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.ProtocolCounters;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.faulty.Faults;
import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import java.util.Optional;
import java.util.stream.Collectors;

/** A fabric of this machine, between two ends in this process that one thread drives. */
final class RealCandidate implements Candidate {
  private final RealFabric fabric;

  RealCandidate(RealFabric fabric) {
    this.fabric = fabric;
  }

  @Override
  public LossResult run(Trial trial) {
    Optional<Faults> faults = faults(trial);
    JobToken token = JobToken.random();
    try (Fabric low = open(0, token, faults);
        Fabric high = open(1, token, faults);
        SimulatedMemory source = new SimulatedMemory(trial.messageBytes());
        SimulatedMemory target = new SimulatedMemory(trial.messageBytes())) {
      MeasuredPair both = MeasuredPair.between(low, high);
      Channel from = low.connect(1, high.address(), 1, both.deadline());
      Channel to = high.connect(0, low.address(), 1, both.deadline());
      both.until(() -> from.isOpen() && to.isOpen());
      Arrived arrived = new Arrived(trial, System::nanoTime, to::receivedBytes);
      Posts posts = new Posts(trial, from, to, source, target);
      both.until(
          () -> {
            posts.post();
            from.poll(arrived);
            to.poll(arrived);
            return arrived.isDone();
          });
      return outcome(arrived, from);
    }
  }

  /** Reliable fabrics do not know packets that could get lost before the device. */
  private Optional<Faults> faults(Trial trial) {
    FaultPlan plan = trial.plan();
    double faults =
        plan.lossProbability()
            + plan.replayProbability()
            + plan.reorderProbability()
            + plan.clogProbability();
    if (faults == 0 && plan.rateBytesPerSecond() == 0 && plan.oneWayDelayMeanNs() == 0) {
      return Optional.empty();
    }
    if (!fabric.takesFaults()) {
      throw new UsageException(
          "what goes wrong on "
              + fabric.name()
              + " is the network's business: use netem, or TOMBOLO_HCA_LOSS_PERCENT with the"
              + " emulated HCA; or take --fabric "
              + withFaults());
    }
    return Optional.of(trial.faults());
  }

  private static String withFaults() {
    return RealFabric.all().stream()
        .filter(RealFabric::takesFaults)
        .map(RealFabric::name)
        .collect(Collectors.joining(", ", "", " or " + SimulatedCandidate.FABRIC));
  }

  private Fabric open(int rank, JobToken token, Optional<Faults> faults) {
    return fabric.open(
        new FabricSettings(
            rank, token, HostPinner.none(), SlotGeometry.DEFAULT, Ticker.systemTicker()),
        faults);
  }

  /** Only our own protocol knows how many packets it took. */
  private LossResult outcome(Arrived arrived, Channel from) {
    ProtocolCounters counters = from.protocolCounters().orElseGet(ProtocolCounters::new);
    long wireBytes = Math.max(counters.payloadBytesSent, from.sentBytes());
    return arrived
        .outcome(fabric.name(), Candidates.OURS, wireBytes, counters, Recovery.none())
        .withGarbage(arrived.allocatedBytesPerMessage());
  }
}
