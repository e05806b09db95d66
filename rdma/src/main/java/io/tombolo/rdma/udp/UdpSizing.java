// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import com.google.common.primitives.Ints;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.reliable.ProtocolConfig;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.stream.Stream;

/**
 * How long packets are, how many places there are for them, and what that makes of the protocol's
 * constants.
 *
 * @param geometry what this side proposes: payload of one packet
 * @param slotBytes room for one packet, of peers that propose longer ones too
 * @param slotsPerDirection packets on their way out, and in
 * @param inFlightBytes most that one channel has on its way
 * @param giveUpNs a channel's patience
 * @param congestion what makes a channel slow down
 */
record UdpSizing(
    SlotGeometry geometry,
    int slotBytes,
    int slotsPerDirection,
    long inFlightBytes,
    long giveUpNs,
    ProtocolConfig.Congestion congestion) {
  /** What jumbo frames of 9000 bytes carry, in multiples of 64. */
  private static final int MAX_PAYLOAD_BYTES = 8896;

  /** RFC 791: 20 and RFC 768: 8. */
  private static final int V4_HEADERS_BYTES = 28;

  /** RFC 8200: 40 and RFC 768: 8. */
  private static final int V6_HEADERS_BYTES = 48;

  /** What the kernel books for a packet besides its bytes. */
  private static final int KERNEL_PACKET_BYTES = 1024;

  private static final int UNIT = 64;
  private static final int MAX_SLOTS = 1 << 14;

  /** The floor of the timeout where kernel and processes take turns on few cores. */
  private static final long MIN_RTO_NS = 2_000_000;

  private static final long KEEP_ALIVE_NS = 1_000_000_000;

  /** A turn of a scheduler, or two: the most that is believed to be noise. */
  private static final long QUEUE_SLACK_NS = 1_000_000;

  private static final int SEGMENT_CHUNKS = 512;

  /** Messages that the protocol works on at a time: each has its place even in an idle channel. */
  private static final int QUEUE_DEPTH = 16;

  private static final int SPAN_PER_FLIGHT = 8;
  private static final int MAX_WINDOW_CHUNKS = 1 << 13;
  private static final int MIN_WINDOW_CHUNKS = 64;

  /** Fewer, and the sender waits for acknowledgements that the receiver holds back. */
  private static final int MIN_IN_FLIGHT_CHUNKS = 16;

  static UdpSizing of(SlotGeometry wanted, UdpOptions options, int receiveBufferBytes) {
    int carried = payloadOf(options.bind().getAddress());
    int payload = Math.min(wanted.payloadBytes(), carried);
    SlotGeometry geometry = new SlotGeometry(wanted.slots(), payload);
    int slotBytes = Math.max(Greeting.SIZE_BYTES, UdpConnection.packetBytes(carried));
    int slots = (int) Math.min(MAX_SLOTS, options.slabBytes() / 2 / (slotBytes + UNIT));
    long byKernel = (long) receiveBufferBytes / 2 * payload / (payload + KERNEL_PACKET_BYTES);
    long byGeometry = (long) wanted.slots() * wanted.payloadBytes();
    long inFlight =
        options.inFlightBytes() > 0 ? options.inFlightBytes() : Math.min(byKernel, byGeometry);
    return new UdpSizing(
        geometry, slotBytes, slots, inFlight, options.giveUp().toNanos(), options.congestion());
  }

  /** What one packet carries over the interfaces that {@code bind} stands for. */
  private static int payloadOf(InetAddress bind) {
    int headers = bind instanceof Inet4Address ? V4_HEADERS_BYTES : V6_HEADERS_BYTES;
    int room = mtu(bind) - headers - UdpConnection.packetBytes(0);
    return Math.max(UNIT, Math.min(MAX_PAYLOAD_BYTES, room / UNIT * UNIT));
  }

  private static int mtu(InetAddress bind) {
    try {
      Stream<NetworkInterface> interfaces =
          bind.isAnyLocalAddress()
              ? NetworkInterface.networkInterfaces()
              : Stream.ofNullable(NetworkInterface.getByInetAddress(bind));
      return interfaces.mapToInt(UdpSizing::mtu).max().orElse(V6_LEAST_MTU);
    } catch (SocketException e) {
      String what = "cannot ask for the packet size of " + bind;
      throw OpenFiles.ranOut(e)
          ? OpenFiles.noneLeft(what, e)
          : new UnavailableException(what + ": " + e.getMessage() + "; bind to another", e);
    }
  }

  /** RFC 8200 §5: every link carries this. */
  private static final int V6_LEAST_MTU = 1280;

  private static int mtu(NetworkInterface nic) {
    try {
      return nic.getMTU();
    } catch (SocketException e) {
      if (OpenFiles.ranOut(e)) {
        throw OpenFiles.noneLeft("cannot ask for the packet size of " + nic.getName(), e);
      }
      return V6_LEAST_MTU; // it went away just now
    }
  }

  /** The constants of a channel over packets of {@code agreed} payload. */
  ProtocolConfig protocol(SlotGeometry agreed) {
    int chunk = agreed.payloadBytes();
    long wanted = Math.min(inFlightBytes / chunk, MAX_WINDOW_CHUNKS);
    int inFlight = Math.max(MIN_IN_FLIGHT_CHUNKS, (int) wanted);
    int window =
        Ints.constrainToRange(SPAN_PER_FLIGHT * inFlight, MIN_WINDOW_CHUNKS, MAX_WINDOW_CHUNKS);
    return ProtocolConfig.of(ProtocolConfig.Shape.DATAGRAM, chunk).toBuilder()
        .window(ceilingPowerOfTwo(window), SEGMENT_CHUNKS)
        .flight(inFlight, QUEUE_SLACK_NS)
        .congestion(congestion)
        .queueDepth(QUEUE_DEPTH)
        .times(MIN_RTO_NS, Math.min(KEEP_ALIVE_NS, giveUpNs / 4), giveUpNs)
        .build();
  }

  private static int ceilingPowerOfTwo(int value) {
    return Integer.highestOneBit(2 * value - 1);
  }
}
