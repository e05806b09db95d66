// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.UnavailableException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;

/** One bound datagram socket. Never blocks; used by one thread. */
final class UdpSocket implements AutoCloseable {
  private final int fd;
  private final boolean v6;
  private boolean closed;

  private UdpSocket(int fd, boolean v6) {
    this.fd = fd;
    this.v6 = v6;
  }

  /**
   * Binds to {@code bind} (port 0: any free one), with kernel buffers of as near to {@code
   * bufferBytes} as this host allows; an {@link UnavailableException} if that cannot be had.
   */
  static UdpSocket open(InetSocketAddress bind, int bufferBytes) {
    int fd = UdpSystem.open0(UdpAddress.mapped(bind.getAddress()), bind.getPort(), bufferBytes);
    if (fd < 0) {
      throw new UnavailableException(
          "cannot receive datagrams on "
              + bind
              + ": errno "
              + -fd
              + "; choose another address or port");
    }
    return new UdpSocket(fd, !(bind.getAddress() instanceof Inet4Address));
  }

  /** Can be read when a packet is here. */
  int descriptor() {
    return fd;
  }

  /** Whether IPv6 peers can be reached. */
  boolean isV6() {
    return v6;
  }

  int port() {
    return UdpSystem.check("ask for a socket's port", UdpSystem.port0(fd));
  }

  /** What the kernel keeps for us while we are busy, its own bookkeeping included. */
  int receiveBufferBytes() {
    return UdpSystem.check("ask for a socket's buffer", UdpSystem.receiveBuffer0(fd));
  }

  /** Sends the first {@code count} of the batch; how many went, or the negated errno. */
  int send(PacketSlots slots, int count) {
    return UdpSystem.send0(fd, v6, slots.recordsAddress(), slots.orderAddress(), count);
  }

  /** Receives into at most {@code count} slots of the batch; how many came. */
  int receive(PacketSlots slots, int count) {
    return UdpSystem.check(
        "receive datagrams",
        UdpSystem.receive0(fd, slots.recordsAddress(), slots.orderAddress(), count));
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      int result = UdpSystem.close0(fd);
      if (result < 0) {
        throw new FabricException("cannot close a datagram socket", -result);
      }
    }
  }
}
