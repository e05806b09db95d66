// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import io.tombolo.base.WakeUps;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.faulty.Faults;
import io.tombolo.rdma.reliable.ChannelId;
import io.tombolo.rdma.reliable.ProtocolConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a process by number and address, and those that only linger. Looking one up
 * allocates nothing.
 */
final class UdpConnections {
  private static final Logger LOG = LoggerFactory.getLogger(UdpConnections.class);
  private static final int BUCKETS = 1024;
  private static final long LINGER_NS = 1_000_000_000;

  private final UdpTransmitter transmitter;
  private final UdpCounters counters;
  private final ProtocolConfigs configs;
  private final Optional<Faults> faults;
  private final FabricSettings settings;
  private final UdpConnection[] buckets = new UdpConnection[BUCKETS];
  private final List<UdpConnection> retired = new ArrayList<>();

  /** What a connection over packets of so much payload runs with. */
  interface ProtocolConfigs {
    ProtocolConfig of(SlotGeometry agreed);
  }

  UdpConnections(
      UdpTransmitter transmitter,
      UdpCounters counters,
      ProtocolConfigs configs,
      Optional<Faults> faults,
      FabricSettings settings) {
    this.transmitter = transmitter;
    this.counters = counters;
    this.configs = configs;
    this.faults = faults;
    this.settings = settings;
  }

  /** A connection whose ends have proved themselves to each other. */
  UdpConnection open(int id, UdpPath path, int peer, SlotGeometry agreed, long nowNs) {
    if (!path.marks() && counters.unmarkable++ == 0) {
      LOG.warn(
          "no packet that routers may mark (ECN) got to rank {} at {} and back with its field as it was, so none are sent"
              + " there, and long queues show as delay and loss only; have the network let such packets through",
          peer,
          path.address());
    }
    UdpConnection connection =
        new UdpConnection(
            new ChannelId(peer, 0, id),
            path,
            transmitter,
            configs.of(agreed),
            faultsTowards(peer),
            settings.ticker(),
            nowNs);
    connection.nextInBucket = buckets[bucket(id)];
    buckets[bucket(id)] = connection;
    return connection;
  }

  /** Each direction between two ranks has its own luck, the same in each run. */
  private Optional<Faults> faultsTowards(int peer) {
    return faults.map(f -> new Faults(f.plan(), f.seed() + 31L * settings.rank() + peer));
  }

  /** The connection called {@code id} with the peer at {@code address}, or null. */
  UdpConnection find(int id, UdpAddress address) {
    UdpConnection at = buckets[bucket(id)];
    while (at != null && !(at.id() == id && at.address().equals(address))) {
      at = at.nextInBucket;
    }
    return at;
  }

  /** The connection called {@code id} that the packet in {@code slot} came over, or null. */
  UdpConnection find(int id, PacketSlots slots, int slot) {
    UdpConnection at = buckets[bucket(id)];
    while (at != null && !(at.id() == id && slots.isFrom(slot, at.address()))) {
      at = at.nextInBucket;
    }
    return at;
  }

  /** Nobody here uses {@code connection} any more: it says goodbye, and then goes. */
  void retire(UdpConnection connection, long nowNs) {
    connection.leave(nowNs + LINGER_NS);
    retired.add(connection);
  }

  /** Lets those that leave say what they have to say; how much that was. */
  int progress(long nowNs) {
    int steps = 0;
    for (int i = retired.size() - 1; i >= 0; i--) {
      UdpConnection connection = retired.get(i);
      steps += connection.linger(nowNs);
      if (connection.isGone(nowNs)) {
        retired.remove(i);
        forget(connection);
      }
    }
    return steps;
  }

  /** Those that leave are looked after until they are gone. */
  void awaits(WakeUps wakeUps) {
    if (!retired.isEmpty()) {
      wakeUps.soon();
    }
  }

  /** Whether somebody may not have heard our goodbye, or a copy is under way. */
  boolean isSomebodyLeaving() {
    return retired.stream().anyMatch(connection -> !connection.isUnderstood());
  }

  /** Frees what those that linger hold. */
  void close() {
    retired.forEach(UdpConnection::close);
    retired.clear();
  }

  private void forget(UdpConnection connection) {
    connection.close();
    int bucket = bucket(connection.id());
    if (buckets[bucket] == connection) {
      buckets[bucket] = connection.nextInBucket;
      return;
    }
    UdpConnection at = buckets[bucket];
    while (at.nextInBucket != connection) {
      at = at.nextInBucket;
    }
    at.nextInBucket = connection.nextInBucket;
  }

  private static int bucket(int id) {
    return id & (BUCKETS - 1);
  }
}
