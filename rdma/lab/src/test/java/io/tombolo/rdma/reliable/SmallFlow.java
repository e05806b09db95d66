// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.rdma.Channel;
import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import java.util.ArrayList;
import java.util.List;

/** Messages of one chunk from node 0 to node 1, each sent when the one before has arrived. */
final class SmallFlow implements Channel.Completions, AutoCloseable {
  private static final int MESSAGE_BYTES = 4096;
  private static final int ROOM_BYTES = 8192;

  private final SimulatedNetwork network;
  private final SimulatedMemory memory = new SimulatedMemory(MESSAGE_BYTES);
  private final SimulatedEndpoint sender;
  private final SimulatedEndpoint receiver;
  private final ReliableChannel from;
  private final ReliableChannel to;
  private final List<Long> tookNs = new ArrayList<>();
  private long sentNs;

  SmallFlow(SimulatedNetwork network, ProtocolConfig config) {
    this(network, config, new ProtocolParts());
  }

  /** Whose sender is made of {@code parts}. */
  SmallFlow(SimulatedNetwork network, ProtocolConfig config, ProtocolParts parts) {
    this.network = network;
    sender = new SimulatedEndpoint(network, 0, null, ROOM_BYTES);
    receiver = new SimulatedEndpoint(network, 1, null, ROOM_BYTES);
    from =
        new ReliableChannel(
            new ChannelId(1, 1, 0), config, sender, null, parts, network.clockNs(0));
    to = new ReliableChannel(new ChannelId(0, 1, 0), config, receiver, null, network.clockNs(1));
    sender.run(from, receiver, this);
    receiver.run(to, sender, this);
  }

  /** The receives are posted, and the first message is sent. */
  void begin() {
    while (to.receive(0, memory, 0, MESSAGE_BYTES)) {}
    receiver.wake();
    send();
  }

  private void send() {
    sentNs = network.nowNs();
    from.send(0, memory, 0, MESSAGE_BYTES);
    sender.wake();
  }

  @Override
  public void onSent(long tag, long sizeBytes) {}

  @Override
  public void onReceived(long tag, long sizeBytes) {
    tookNs.add(network.nowNs() - sentNs);
    to.receive(0, memory, 0, MESSAGE_BYTES);
    receiver.wake();
    send();
  }

  /** Chunks that may be in flight now. */
  int windowChunks() {
    return from.windowChunks();
  }

  int messages() {
    return tookNs.size();
  }

  long percentileNs(int percent) {
    List<Long> sorted = tookNs.stream().sorted().toList();
    return sorted.get((sorted.size() - 1) * percent / 100);
  }

  @Override
  public void close() {
    memory.close();
    sender.close();
    receiver.close();
  }
}
