// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.rdma.faulty.Faults;
import io.tombolo.rdma.reliable.ProtocolConfig;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * How a process uses UDP.
 *
 * @param bind where to receive: an address of this host, or the wildcard for all its interfaces;
 *     port 0 for any
 * @param slabBytes memory for packets on their way out and in, for all channels together; at most
 *     {@link #MAX_SLAB_BYTES}
 * @param socketBufferBytes what the kernel is asked to keep while this process is busy
 * @param inFlightBytes most that one channel has on its way; 0 for what a channel's geometry and
 *     the kernel's buffers allow
 * @param giveUp silence of a peer, or time without progress, after which a channel fails
 * @param faults what shall go wrong on purpose with what this process sends on open channels
 * @param congestion what makes channels slow down
 */
public record UdpOptions(
    InetSocketAddress bind,
    long slabBytes,
    int socketBufferBytes,
    long inFlightBytes,
    Duration giveUp,
    Optional<Faults> faults,
    ProtocolConfig.Congestion congestion) {
  /** The most memory for packets that a process may take. */
  public static final long MAX_SLAB_BYTES = 256L << 20;

  private static final long MIN_SLAB_BYTES = 1L << 20;
  private static final long DEFAULT_SLAB_BYTES = 8L << 20;
  private static final int DEFAULT_BUFFER_BYTES = 4 << 20;
  private static final Duration DEFAULT_GIVE_UP = Duration.ofSeconds(10);

  /** Checks the bounds. */
  public UdpOptions {
    checkArgument(
        slabBytes >= MIN_SLAB_BYTES && slabBytes <= MAX_SLAB_BYTES,
        "packets have %s to %s bytes of memory, not %s",
        MIN_SLAB_BYTES,
        MAX_SLAB_BYTES,
        slabBytes);
    checkArgument(inFlightBytes >= 0, "bytes in flight are not negative: %s", inFlightBytes);
    checkArgument(!giveUp.isNegative() && !giveUp.isZero(), "nobody gives up at once");
  }

  /** 8 MiB of slots, 4 MiB in the kernel, giving up after 10 s. */
  public static UdpOptions of(InetSocketAddress bind) {
    return new UdpOptions(
        bind,
        DEFAULT_SLAB_BYTES,
        DEFAULT_BUFFER_BYTES,
        0,
        DEFAULT_GIVE_UP,
        Optional.empty(),
        ProtocolConfig.Congestion.DELAY);
  }

  /** These options with another patience. */
  public UdpOptions withGiveUp(Duration newGiveUp) {
    return new UdpOptions(
        bind, slabBytes, socketBufferBytes, inFlightBytes, newGiveUp, faults, congestion);
  }

  /** These options with so much in flight per channel. */
  public UdpOptions withInFlightBytes(long newInFlightBytes) {
    return new UdpOptions(
        bind, slabBytes, socketBufferBytes, newInFlightBytes, giveUp, faults, congestion);
  }

  /** These options with faults. */
  public UdpOptions withFaults(Faults newFaults) {
    return new UdpOptions(
        bind,
        slabBytes,
        socketBufferBytes,
        inFlightBytes,
        giveUp,
        Optional.of(newFaults),
        congestion);
  }

  /** These options with another notion of congestion. */
  public UdpOptions withCongestion(ProtocolConfig.Congestion newCongestion) {
    return new UdpOptions(
        bind, slabBytes, socketBufferBytes, inFlightBytes, giveUp, faults, newCongestion);
  }
}
