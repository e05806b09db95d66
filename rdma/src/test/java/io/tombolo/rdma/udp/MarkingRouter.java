// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import io.tombolo.rdma.ip.ListenAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/**
 * What lies between two fabrics and marks what it passes on, as routers do whose queue is long. Who
 * dials it reaches the fabric behind it; to that it is the dialler.
 */
final class MarkingRouter implements AutoCloseable {
  /** Congestion experienced, RFC 3168. */
  private static final int MARK = 3;

  private static final int MAY_BE_MARKED = 2;

  private final InetSocketAddress listener;
  private final DatagramChannel front;
  private final DatagramChannel back;
  private final ByteBuffer packet = ByteBuffer.allocate(1 << 16);
  private SocketAddress dialler;
  private int sinceMark;
  private long marked;

  /** A router before {@code fabric}. */
  MarkingRouter(UdpFabric fabric) throws IOException {
    ListenAddress address = ListenAddress.decode(fabric.address()).orElseThrow();
    listener = address.seenFrom(address.hostId()).get(0);
    front = open();
    back = open();
  }

  private static DatagramChannel open() throws IOException {
    DatagramChannel socket = DatagramChannel.open();
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    socket.configureBlocking(false);
    socket.setOption(StandardSocketOptions.IP_TOS, MAY_BE_MARKED);
    return socket;
  }

  /** Where it is dialled. */
  byte[] address() throws IOException {
    return ListenAddress.of((InetSocketAddress) front.getLocalAddress()).encode();
  }

  /** Packets that it has marked on the way to the fabric behind it. */
  long marked() {
    return marked;
  }

  /** Passes on all that has come; marks every {@code every}-th to the fabric behind it, 0: none. */
  void progress(int every) throws IOException {
    for (SocketAddress from = receive(front); from != null; from = receive(front)) {
      dialler = from;
      boolean marks = every > 0 && ++sinceMark >= every;
      sinceMark = marks ? 0 : sinceMark;
      back.setOption(StandardSocketOptions.IP_TOS, marks ? MARK : MAY_BE_MARKED);
      marked += back.send(packet, listener) > 0 && marks ? 1 : 0;
    }
    while (receive(back) != null) {
      front.send(packet, dialler);
    }
  }

  private SocketAddress receive(DatagramChannel socket) throws IOException {
    packet.clear();
    SocketAddress from = socket.receive(packet);
    packet.flip();
    return from;
  }

  @Override
  public void close() throws IOException {
    front.close();
    back.close();
  }
}
