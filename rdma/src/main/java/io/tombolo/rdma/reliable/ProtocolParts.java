// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import java.nio.ByteBuffer;

/** The decisions a channel is made of; tests replace one to see the others notice. */
class ProtocolParts {
  SendWindow sendWindow(ProtocolConfig config) {
    return new SendWindow(config.windowChunks(), config.firstPsn());
  }

  ReceiveWindow receiveWindow(ProtocolConfig config) {
    return new ReceiveWindow(config.windowChunks(), config.firstPsn());
  }

  RttEstimator rttEstimator(ProtocolConfig config) {
    return new RttEstimator(config.minRtoNs(), config.maxAckDelayNs());
  }

  LossDetector lossDetector(ProtocolConfig config) {
    return new LossDetector(config.packetThreshold());
  }

  CongestionControl congestionControl(ProtocolConfig config) {
    int most = Math.min(config.windowChunks(), config.maxInFlightChunks());
    return switch (config.congestion()) {
      case DELAY -> new DelayCongestionControl(most, config.queueSlackNs());
      case LOSS -> new LossCongestionControl(most);
    };
  }

  RepeatPermit repeatPermit(ProtocolConfig config) {
    return new RepeatPermit(config.shape());
  }

  GrantOutbox grantOutbox(Wire wire) {
    return new GrantOutbox(wire);
  }

  PsnSpace psnSpace() {
    return new PsnSpace();
  }

  /** Reads a packet to {@code handler}; false if it is none of {@code id}'s, or malformed. */
  boolean read(ByteBuffer packet, ChannelId id, Grant scratch, Packet handler) {
    return PacketCodec.decode(packet, id, scratch, handler);
  }

  /** Whether a channel that has ended takes what still comes: its memory is its owner's again. */
  boolean takesAfterItsEnd() {
    return false;
  }

  /** Whether a message's memory may go back to its owner. */
  boolean isReleasable(OutgoingMessage message) {
    return message.isReleasable();
  }

  /** Chunks the psns may span while {@code windowChunks} may be in flight: 8·BDP. */
  long spanChunks(int windowChunks) {
    return 8L * windowChunks;
  }
}
