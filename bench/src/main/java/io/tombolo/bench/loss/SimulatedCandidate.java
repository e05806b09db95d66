// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.reliable.ChannelId;
import io.tombolo.rdma.reliable.ProtocolConfig;
import io.tombolo.rdma.reliable.ReliableChannel;
import org.HdrHistogram.Histogram;

/** The reliable protocol in simulated time. */
final class SimulatedCandidate implements Candidate {
  static final String FABRIC = "sim";
  private static final int DIGITS = 3;

  private final String name;
  private final ProtocolConfig.Congestion congestion;

  SimulatedCandidate(String name, ProtocolConfig.Congestion congestion) {
    this.name = name;
    this.congestion = congestion;
  }

  @Override
  public LossResult run(Trial trial) {
    SimulatedNetwork network = new SimulatedNetwork(trial.faults().seed(), trial.plan(), 2);
    ProtocolConfig config =
        ProtocolConfig.of(ProtocolConfig.Shape.DATAGRAM, trial.packetBytes()).toBuilder()
            .congestion(congestion)
            .build();
    int room = trial.packetBytes() + 1024;
    try (SimulatedMemory memory = new SimulatedMemory(trial.messageBytes());
        SimulatedEndpoint sender = new SimulatedEndpoint(network, 0, null, room);
        SimulatedEndpoint receiver = new SimulatedEndpoint(network, 1, null, room)) {
      ReliableChannel from = channel(1, config, sender, network.clockNs(0));
      ReliableChannel to = channel(0, config, receiver, network.clockNs(1));
      Histogram recoveries = new Histogram(DIGITS);
      from.onRecovered(recoveries::recordValue);
      Arrived arrived =
          new Arrived(trial, network::nowNs, () -> to.counters().payloadBytesReceived);
      sender.run(from, receiver, arrived);
      receiver.run(to, sender, arrived);
      converse(trial, network, memory, from, to, sender, receiver, arrived);
      return arrived.outcome(
          FABRIC, name, network.wireBytes(), from.counters(), Recovery.of(recoveries));
    }
  }

  private static ReliableChannel channel(
      int peer, ProtocolConfig config, SimulatedEndpoint wire, long nowNs) {
    return new ReliableChannel(new ChannelId(peer, 0, 0), config, wire, null, nowNs);
  }

  private static void converse(
      Trial trial,
      SimulatedNetwork network,
      SimulatedMemory memory,
      ReliableChannel from,
      ReliableChannel to,
      SimulatedEndpoint sender,
      SimulatedEndpoint receiver,
      Arrived arrived) {
    int sends = 0;
    int receives = 0;
    while (!arrived.isDone() && network.step()) {
      if (sender.failure() != null) {
        throw sender.failure();
      }
      if (receiver.failure() != null) {
        throw receiver.failure();
      }
      while (receives < trial.messages() && to.hasRoomToReceive()) {
        to.receive(receives++, memory, 0, trial.messageBytes());
        receiver.wake();
      }
      while (sends < trial.messages() && from.hasRoomToSend()) {
        from.send(sends++, memory, 0, trial.messageBytes());
        sender.wake();
      }
    }
  }
}
