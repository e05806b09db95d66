// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.CloseStack;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.lab.simulated.SimulatedNic;
import io.tombolo.rdma.lab.simulated.SimulatedSlab;

/** Messages from node 0 to node 1 without end: as much as the protocol carries. */
final class BulkFlow implements Channel.Completions, AutoCloseable {
  private static final int ROOM_BYTES = 8192;

  /** Those of a slab, as few as one has. */
  private static final int SLOTS = 32;

  private final CloseStack stack = new CloseStack();
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
    this(
        network, config, sends, receives, messageBytes, SimulatedNic.ample(), SimulatedNic.ample());
  }

  /** From {@code fromNic} to {@code toNic}, by what both have, if {@code config} says so. */
  BulkFlow(
      SimulatedNetwork network,
      ProtocolConfig config,
      int messageBytes,
      SimulatedNic fromNic,
      SimulatedNic toNic) {
    this(network, config, new ProtocolParts(), new ProtocolParts(), messageBytes, fromNic, toNic);
  }

  private BulkFlow(
      SimulatedNetwork network,
      ProtocolConfig config,
      ProtocolParts sends,
      ProtocolParts receives,
      int messageBytes,
      SimulatedNic fromNic,
      SimulatedNic toNic) {
    this.network = network;
    this.messageBytes = messageBytes;
    memory = stack.opened(new SimulatedMemory(messageBytes));
    SimulatedSlab slab = slab(config, SLOTS, toNic);
    SimulatedSlab back = slab(config, 1, fromNic);
    sender = stack.opened(new SimulatedEndpoint(network, 0, back, ROOM_BYTES, fromNic));
    receiver = stack.opened(new SimulatedEndpoint(network, 1, slab, ROOM_BYTES, toNic));
    from =
        new ReliableChannel(
            new ChannelId(1, 0, 0), config, sender, back.pool(), sends, network.clockNs(0));
    to =
        new ReliableChannel(
            new ChannelId(0, 0, 0), config, receiver, slab.pool(), receives, network.clockNs(1));
    sender.run(from, receiver, this);
    receiver.run(to, sender, this);
    for (int i = 0; i < config.queueDepth(); i++) {
      onSent(0, 0);
      onReceived(0, 0);
    }
  }

  private SimulatedSlab slab(ProtocolConfig config, int slots, SimulatedNic nic) {
    return stack.opened(
        new SimulatedSlab(
            network,
            slots,
            config.segmentBytes(),
            SimulatedSlab.TAG_BITS,
            SimulatedSlab.PACKET_LIFE_NS,
            nic.bindNs()));
  }

  /** Each way takes so much longer from now on, beyond the link that it shares with others. */
  void farther(long newFartherNs) {
    sender.farther(newFartherNs);
    receiver.farther(newFartherNs);
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

  /** Chunks sent since the mark, first times and repeats. */
  long sent() {
    return from.counters().chunksSent - markedSent;
  }

  /** Those of them that were repeats. */
  long resent() {
    return from.counters().resent() - markedResent;
  }

  /** Part of the chunks sent since the mark that were repeats. */
  double repeats() {
    return (double) resent() / Math.max(1, sent());
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
    stack.close();
  }
}
