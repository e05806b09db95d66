// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.simulated;

/** Packets of somebody else, at a rate that yields to nobody: they only take room on the link. */
public final class SimulatedTraffic {
  private static final double NS_PER_SECOND = 1e9;

  private final SimulatedNetwork network;
  private final int from;
  private final int to;
  private final int packetBytes;
  private final double intervalNs;
  private final long untilNs;

  private SimulatedTraffic(
      SimulatedNetwork network,
      int from,
      int to,
      int packetBytes,
      long bytesPerSecond,
      long untilNs) {
    this.network = network;
    this.from = from;
    this.to = to;
    this.packetBytes = packetBytes;
    intervalNs = packetBytes * NS_PER_SECOND / bytesPerSecond;
    this.untilNs = untilNs;
  }

  /**
   * Sends {@code bytesPerSecond} from one node to another, in packets of {@code packetBytes}, from
   * {@code startNs} to {@code untilNs} of simulated time.
   */
  public static void run(
      SimulatedNetwork network,
      int from,
      int to,
      int packetBytes,
      long bytesPerSecond,
      long startNs,
      long untilNs) {
    SimulatedTraffic traffic =
        new SimulatedTraffic(network, from, to, packetBytes, bytesPerSecond, untilNs);
    traffic.send((double) startNs);
  }

  /** Sends at {@code atNs}, kept as a fraction so that the rate stays exact. */
  private void send(double atNs) {
    if (atNs < untilNs) {
      network.at(
          (long) atNs,
          () -> {
            network.departureNs(from, to, packetBytes);
            send(atNs + intervalNs);
          });
    }
  }
}
