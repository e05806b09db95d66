// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.rdma.ProtocolCounters;
import java.nio.ByteBuffer;

/** What both flows of a channel share: its identity, its constants, the wire and the counters. */
final class Wire {
  final ChannelId id;
  final ProtocolConfig config;
  final PacketSender sender;
  final ProtocolCounters counters = new ProtocolCounters();
  final PsnSpace psns;
  final RttEstimator rtt;

  private final ByteBuffer buffer = PacketCodec.newBuffer(PacketCodec.MAX_CONTROL_BYTES);

  Wire(ChannelId id, ProtocolConfig config, PacketSender sender, ProtocolParts parts) {
    this.id = id;
    this.config = config;
    this.sender = sender;
    psns = parts.psnSpace();
    rtt = parts.rttEstimator(config);
  }

  /** The buffer to build the next packet in. */
  ByteBuffer buffer() {
    return buffer;
  }

  boolean sendBare(byte type) {
    return sender.sendControl(PacketCodec.bare(buffer, id, type));
  }
}
