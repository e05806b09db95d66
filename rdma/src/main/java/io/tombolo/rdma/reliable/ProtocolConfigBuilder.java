// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/** Changes of a {@link ProtocolConfig}, whose components say what each means. */
public final class ProtocolConfigBuilder {
  private final ProtocolConfig start;
  private int windowChunks;
  private int segmentChunks;
  private int maxInFlightChunks;
  private long queueSlackNs;
  private int queueDepth;
  private long minRtoNs;
  private int packetThreshold;
  private long keepAliveNs;
  private long giveUpNs;
  private ProtocolConfig.Congestion congestion;

  ProtocolConfigBuilder(ProtocolConfig start) {
    this.start = start;
    windowChunks = start.windowChunks();
    segmentChunks = start.segmentChunks();
    maxInFlightChunks = start.maxInFlightChunks();
    queueSlackNs = start.queueSlackNs();
    queueDepth = start.queueDepth();
    minRtoNs = start.minRtoNs();
    packetThreshold = start.packetThreshold();
    keepAliveNs = start.keepAliveNs();
    giveUpNs = start.giveUpNs();
    congestion = start.congestion();
  }

  /** Chunks between the oldest and the newest, and chunks of one clear-to-send. */
  public ProtocolConfigBuilder window(int newWindowChunks, int newSegmentChunks) {
    windowChunks = newWindowChunks;
    segmentChunks = newSegmentChunks;
    return this;
  }

  /** Most that is in flight, and the delay that is tolerated. */
  public ProtocolConfigBuilder flight(int newMaxInFlightChunks, long newQueueSlackNs) {
    maxInFlightChunks = newMaxInFlightChunks;
    queueSlackNs = newQueueSlackNs;
    return this;
  }

  /** Messages queued each way. */
  public ProtocolConfigBuilder queueDepth(int newQueueDepth) {
    queueDepth = newQueueDepth;
    return this;
  }

  /** The floor of the timeout, and the silences that are asked about and given up after. */
  public ProtocolConfigBuilder times(long newMinRtoNs, long newKeepAliveNs, long newGiveUpNs) {
    minRtoNs = newMinRtoNs;
    keepAliveNs = newKeepAliveNs;
    giveUpNs = newGiveUpNs;
    return this;
  }

  /** What counts as congestion. */
  public ProtocolConfigBuilder congestion(ProtocolConfig.Congestion newCongestion) {
    congestion = newCongestion;
    return this;
  }

  /** Chunks take several paths: what overtakes is not lost, so losses are told by time alone. */
  public ProtocolConfigBuilder spraying() {
    packetThreshold = 0;
    return this;
  }

  /** The changed constants. */
  public ProtocolConfig build() {
    return new ProtocolConfig(
        start.shape(),
        start.chunkBytes(),
        segmentChunks,
        windowChunks,
        maxInFlightChunks,
        queueSlackNs,
        queueDepth,
        minRtoNs,
        packetThreshold,
        start.ackEvery(),
        start.maxAckDelayNs(),
        keepAliveNs,
        giveUpNs,
        congestion,
        start.firstPsn());
  }
}
