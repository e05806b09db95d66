// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.rdma.Channel;
import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;

/** Messages from node 0 to node 1 without end: as much as the protocol carries. */
final class BulkFlow implements Channel.Completions, AutoCloseable {
  private static final int ROOM_BYTES = 8192;

  private final SimulatedNetwork network;
  private final int messageBytes;
  private final SimulatedMemory memory;
  private final SimulatedEndpoint sender;
  private final SimulatedEndpoint receiver;
  private final ReliableChannel from;
  private final ReliableChannel to;
  private long markedBytes;
  private long markedSent;
  private long markedResent;
  private long markedNs;
  private boolean stopped;

  BulkFlow(SimulatedNetwork network, ProtocolConfig config, int messageBytes) {
    this(network, config, new ProtocolParts(), messageBytes);
  }

  /** Whose sender is made of {@code parts}. */
  BulkFlow(SimulatedNetwork network, ProtocolConfig config, ProtocolParts parts, int messageBytes) {
    this(network, config, parts, new ProtocolParts(), messageBytes);
  }

  /** Whose ends are made of {@code sends} and {@code receives}. */
  BulkFlow(
      SimulatedNetwork network,
      ProtocolConfig config,
      ProtocolParts sends,
      ProtocolParts receives,
      int messageBytes) {
    this.network = network;
    this.messageBytes = messageBytes;
    memory = new SimulatedMemory(messageBytes);
    sender = new SimulatedEndpoint(network, 0, null, ROOM_BYTES);
    receiver = new SimulatedEndpoint(network, 1, null, ROOM_BYTES);
    from =
        new ReliableChannel(
            new ChannelId(1, 0, 0), config, sender, null, sends, network.clockNs(0));
    to =
        new ReliableChannel(
            new ChannelId(0, 0, 0), config, receiver, null, receives, network.clockNs(1));
    sender.run(from, receiver, this);
    receiver.run(to, sender, this);
    for (int i = 0; i < config.queueDepth(); i++) {
      onSent(0, 0);
      onReceived(0, 0);
    }
  }

  /** Sends what it has begun, and nothing more. */
  void stop() {
    stopped = true;
  }

  @Override
  public void onSent(long tag, long sizeBytes) {
    if (stopped) {
      return;
    }
    from.send(0, memory, 0, messageBytes);
    sender.wake();
  }

  @Override
  public void onReceived(long tag, long sizeBytes) {
    to.receive(0, memory, 0, messageBytes);
    receiver.wake();
  }

  /** Runs everything on the network for so long. */
  static void run(SimulatedNetwork network, long durationNs) {
    long untilNs = network.nowNs() + durationNs;
    while (network.nowNs() < untilNs && network.step()) {}
  }

  /** From now on counts. */
  void mark() {
    markedBytes = to.counters().payloadBytesReceived;
    markedSent = from.counters().chunksSent;
    markedResent = from.counters().resent();
    markedNs = network.nowNs();
  }

  /** Payload bytes a second since the mark. */
  double goodput() {
    return (to.counters().payloadBytesReceived - markedBytes) * 1e9 / (network.nowNs() - markedNs);
  }

  /** Part of the chunks sent since the mark that were repeats. */
  double repeats() {
    long sent = from.counters().chunksSent - markedSent;
    return (double) (from.counters().resent() - markedResent) / Math.max(1, sent);
  }

  /** Chunks that may be in flight now. */
  int windowChunks() {
    return from.windowChunks();
  }

  RuntimeException failure() {
    return sender.failure() != null ? sender.failure() : receiver.failure();
  }

  @Override
  public void close() {
    memory.close();
    sender.close();
    receiver.close();
  }
}
