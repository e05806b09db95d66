// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import com.google.common.base.Ticker;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.faulty.FaultCounters;
import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import io.tombolo.rdma.reliable.ProtocolConfig;
import io.tombolo.rdma.udp.UdpChannel;
import io.tombolo.rdma.udp.UdpFabric;
import io.tombolo.rdma.udp.UdpOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.HdrHistogram.Histogram;

/** The reliable protocol over UDP on this host's loopback; one thread drives both ends. */
final class UdpCandidate implements Candidate {
  static final String FABRIC = "udp";
  private static final int DIGITS = 3;
  private static final int SLOTS = 1024;
  private static final long MIN_IN_FLIGHT_BYTES = 3L << 20;
  private static final double NS_PER_SECOND = 1e9;

  private final String name;
  private final ProtocolConfig.Congestion congestion;

  UdpCandidate(String name, ProtocolConfig.Congestion congestion) {
    this.name = name;
    this.congestion = congestion;
  }

  @Override
  public LossResult run(Trial trial) {
    JobToken token = JobToken.random();
    try (UdpFabric low = open(0, token, trial);
        UdpFabric high = open(1, token, trial);
        SimulatedMemory source = new SimulatedMemory(trial.messageBytes());
        SimulatedMemory target = new SimulatedMemory(trial.messageBytes())) {
      MeasuredPair both = MeasuredPair.between(low, high);
      UdpChannel from = low.connect(1, high.address(), 1, both.deadline());
      UdpChannel to = high.connect(0, low.address(), 1, both.deadline());
      both.until(() -> from.isOpen() && to.isOpen());
      Histogram recoveries = new Histogram(DIGITS);
      from.protocol().onRecovered(recoveries::recordValue);
      Arrived arrived = new Arrived(trial, System::nanoTime, to::receivedBytes);
      Posts posts = new Posts(trial, from, to, source, target);
      both.until(
          () -> {
            posts.post();
            from.poll(arrived);
            to.poll(arrived);
            return arrived.isDone();
          });
      long wireBytes = wireBytes(from) + wireBytes(to);
      return arrived
          .outcome(FABRIC, name, wireBytes, from.counters(), Recovery.of(recoveries))
          .withGarbage(arrived.allocatedBytesPerMessage());
    }
  }

  private UdpFabric open(int rank, JobToken token, Trial trial) {
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    double bdpBytes = trial.plan().rateBytesPerSecond() * (trial.roundTripNs() / NS_PER_SECOND);
    SlotGeometry geometry = new SlotGeometry(SLOTS, trial.packetBytes());
    UdpOptions options =
        UdpOptions.of(bind)
            .withFaults(trial.faults())
            .withCongestion(congestion)
            .withInFlightBytes((long) Math.max(MIN_IN_FLIGHT_BYTES, 2 * bdpBytes));
    return UdpFabric.open(
        new FabricSettings(rank, token, HostPinner.none(), geometry, Ticker.systemTicker()),
        options);
  }

  private static long wireBytes(UdpChannel channel) {
    return channel.faults().map((FaultCounters faults) -> faults.bytesOffered).orElse(0L);
  }
}
