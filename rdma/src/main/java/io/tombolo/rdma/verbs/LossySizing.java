// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.primitives.Ints;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.reliable.ProtocolConfig;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import io.tombolo.rdma.reliable.ProtocolConfigBuilder;
import io.tombolo.rdma.reliable.ReliableChannel;
import io.tombolo.rdma.reliable.SlabPool;

/**
 * How long packets are and how many there are places for, of all channels of a process, and what
 * that makes of the protocol's constants.
 *
 * @param type UC or UD
 * @param mtuBytes the port's path MTU: no packet is longer, so that a lost one costs only itself
 * @param geometry the most that a channel has on its way: its slots times their payload
 * @param depths how much the device's queues hold
 */
record LossySizing(PairType type, int mtuBytes, SlotGeometry geometry, LossyDepths depths) {
  /**
   * Places for segments that peers write: each has 256 keys, none of which comes back within a
   * packet's life.
   */
  static final int SLAB_SLOTS = 128;

  /** How long packets live at most. */
  static final long PACKET_LIFE_NS = SlabPool.PACKET_LIFE_NS;

  /** Payload that a request carries in itself. */
  static final int INLINE_BYTES = 128;

  private static final int SEGMENT_CHUNKS = 64;

  /** A quarter of the receives: late and repeated packets take some, other channels the rest. */
  private static final int IN_FLIGHT_PER_RECEIVES = 4;

  private static final int MIN_IN_FLIGHT_CHUNKS = 16;
  private static final int SPAN_PER_FLIGHT = 8;
  private static final int MAX_WINDOW_CHUNKS = 1 << 13;
  private static final int UNIT = 64;

  /** The most that a scheduler and a NIC's queues are believed to add before it is congestion. */
  private static final long QUEUE_SLACK_NS = 200_000;

  /** The largest control packet, in multiples of a cache line. */
  private static final int CONTROL_BYTES = 128;

  /** The payload of one packet over paths of {@code mtu} bytes. */
  int chunkBytes(int mtu) {
    return type == PairType.UC ? mtu : (mtu - ReliableChannel.DATAGRAM_HEADER_BYTES) / UNIT * UNIT;
  }

  /** Room for one packet on its way in: a remote write needs none. */
  int incomingBytes() {
    return type == PairType.UC ? CONTROL_BYTES : mtuBytes;
  }

  /** Room for one packet on its way out. */
  int outgoingBytes() {
    return mtuBytes;
  }

  /** Room for one segment. */
  long slabSlotBytes() {
    return (long) SEGMENT_CHUNKS * mtuBytes;
  }

  /**
   * The constants of a channel over paths of {@code mtu} bytes.
   *
   * @param paths queue pairs that chunks are spread over, each with a way of its own
   */
  ProtocolConfig protocol(int mtu, int paths) {
    int chunk = chunkBytes(mtu);
    long wanted = (long) geometry.slots() * geometry.payloadBytes() / chunk;
    int inFlight =
        Ints.constrainToRange(
            Ints.saturatedCast(wanted),
            MIN_IN_FLIGHT_CHUNKS,
            depths.receives() / IN_FLIGHT_PER_RECEIVES);
    int window = Math.min(SPAN_PER_FLIGHT * inFlight, MAX_WINDOW_CHUNKS);
    ProtocolConfigBuilder single =
        ProtocolConfig.of(type == PairType.UC ? Shape.PLACES_REMOTELY : Shape.DATAGRAM, chunk)
            .toBuilder()
            .window(Integer.highestOneBit(2 * window - 1), SEGMENT_CHUNKS)
            .flight(inFlight, QUEUE_SLACK_NS);
    return (paths == 1 ? single : single.spraying()).build();
  }
}
