// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

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

  PsnSpace psnSpace() {
    return new PsnSpace();
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
