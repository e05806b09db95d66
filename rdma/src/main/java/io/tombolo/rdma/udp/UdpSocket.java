// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.UnavailableException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;

/** One bound datagram socket. Never blocks; used by one thread. */
final class UdpSocket implements AutoCloseable {
  /** What a socket is, as {@code udp_socket.h} has it. */
  private static final int V6 = 1;

  private static final int CUTS = 2;

  private final int fd;
  private final int kind;
  private boolean closed;

  private UdpSocket(int fd, boolean v6) {
    this.fd = fd;
    kind = (v6 ? V6 : 0) | (UdpSystem.cuts0(fd) ? CUTS : 0);
  }

  /**
   * Binds to {@code bind} (port 0: any free one), with kernel buffers of as near to {@code
   * bufferBytes} as this host allows; an {@link UnavailableException} if that cannot be had.
   */
  static UdpSocket open(InetSocketAddress bind, int bufferBytes) {
    int fd = UdpSystem.open0(UdpAddress.mapped(bind.getAddress()), bind.getPort(), bufferBytes);
    if (fd == -OpenFiles.EMFILE) {
      throw OpenFiles.noneLeft("cannot receive datagrams on " + bind);
    }
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
    return (kind & V6) != 0;
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
    return UdpSystem.send0(fd, kind, slots.recordsAddress(), slots.orderAddress(), count);
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
