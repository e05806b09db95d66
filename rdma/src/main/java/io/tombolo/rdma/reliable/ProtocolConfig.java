// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import java.util.concurrent.TimeUnit;

/**
 * The protocol's constants; both ends of a channel must have the same shape, chunk and segment
 * sizes and first psn.
 *
 * @param shape how payload gets into the receiver's memory
 * @param chunkBytes payload of one chunk, the unit of retransmission: one MTU where packets get
 *     lost
 * @param segmentChunks chunks that one clear-to-send covers; with remote placement a slab slot
 *     holds them
 * @param windowChunks psns between the oldest unacknowledged and the newest; a power of two, at
 *     most 2¹⁶
 * @param maxInFlightChunks most that may be in flight, whatever the delay says: what the receiver's
 *     buffers hold
 * @param queueSlackNs the most that is believed to be noise of what is added to even the shortest
 *     round trip of a while, before it means a queue; how much there is is measured, and 4 µs where
 *     there is none
 * @param queueDepth messages that may be queued each way, and clear-to-sends outstanding
 * @param minRtoNs floor of the retransmission timeout: 200 µs on a real NIC, 2 ms when processes
 *     outnumber cores (IRN, SIGCOMM'18, uses 100 and 320 µs)
 * @param packetThreshold later transmissions acknowledged before one counts as lost; 3 (RFC 9002
 *     §6.1.1), 0 when spraying over several queue pairs
 * @param ackEvery chunks per acknowledgement; 4 (UCCL)
 * @param maxAckDelayNs longest an acknowledgement is held back
 * @param keepAliveNs silence after which the peer is asked for a sign of life
 * @param giveUpNs time without progress after which the channel fails; MPI ULFM: nothing blocks for
 *     ever
 * @param congestion what counts as congestion
 * @param firstPsn the first sequence number of both directions
 */
public record ProtocolConfig(
    Shape shape,
    int chunkBytes,
    int segmentChunks,
    int windowChunks,
    int maxInFlightChunks,
    long queueSlackNs,
    int queueDepth,
    long minRtoNs,
    int packetThreshold,
    int ackEvery,
    long maxAckDelayNs,
    long keepAliveNs,
    long giveUpNs,
    Congestion congestion,
    long firstPsn) {

  /** The delivery shapes. */
  public enum Shape {
    /** The sender's NIC writes into the receiver's slab and an immediate tells of it (verbs UC). */
    PLACES_REMOTELY,
    /** Packets carry the payload and software places it (verbs UD, UDP). */
    DATAGRAM
  }

  /** What makes a sender slow down. */
  public enum Congestion {
    /** Round trips that grow. */
    DELAY,
    /** Chunks that get lost, as TCP has it; to be compared with. */
    LOSS
  }

  /** The longest window: far below half the space of a 21-bit psn. */
  static final int MAX_WINDOW_CHUNKS = 1 << 16;

  /** Checks what the state machines rely on. */
  public ProtocolConfig {
    require(chunkBytes > 0 && segmentChunks > 0, "chunks and segments must not be empty");
    require(
        windowChunks > 0
            && windowChunks <= MAX_WINDOW_CHUNKS
            && Integer.bitCount(windowChunks) == 1,
        "the window must be a power of two of at most 2^16 chunks, not " + windowChunks);
    require(queueDepth > 0 && queueDepth <= SackCodec.WORD_BITS, "queue depth must be 1 to 64");
    require(segmentChunks <= MAX_WINDOW_CHUNKS, "a segment has at most 2^16 chunks");
    require(maxInFlightChunks > 0, "something must be allowed to be in flight");
    require(firstPsn >= 0, "sequence numbers begin at 0 or later");
  }

  /** What a fabric with packets of {@code chunkBytes} payload starts from. */
  public static ProtocolConfig of(Shape shape, int chunkBytes) {
    return new ProtocolConfig(
        shape,
        chunkBytes,
        64,
        8192,
        8192,
        TimeUnit.MICROSECONDS.toNanos(4),
        64,
        TimeUnit.MICROSECONDS.toNanos(200),
        3,
        4,
        TimeUnit.MICROSECONDS.toNanos(100),
        TimeUnit.SECONDS.toNanos(1),
        TimeUnit.SECONDS.toNanos(10),
        Congestion.DELAY,
        0);
  }

  /** Payload that one clear-to-send covers. */
  public long segmentBytes() {
    return (long) segmentChunks * chunkBytes;
  }

  /** Whether packets take several ways, so that later ones may overtake. */
  boolean isSprayed() {
    return packetThreshold == 0;
  }

  /** Chunks that carry {@code sizeBytes}; an empty message is one empty chunk. */
  int chunksOf(long sizeBytes) {
    return (int) Math.max(1, (sizeBytes + chunkBytes - 1) / chunkBytes);
  }

  /** These constants, to be changed. */
  public ProtocolConfigBuilder toBuilder() {
    return new ProtocolConfigBuilder(this);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
