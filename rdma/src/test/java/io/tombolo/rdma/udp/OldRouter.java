// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import io.tombolo.base.HostPinner;
import io.tombolo.rdma.ip.ListenAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;

/**
 * What lies between two fabrics and does not know ECN: it drops packets that may be marked, or
 * clears the field. Who dials it reaches the fabric behind it; to that it is the dialler.
 */
final class OldRouter implements AutoCloseable {
  /** What it does, on each way. */
  enum Way {
    DROPS_TO_LISTENER,
    DROPS_TO_DIALLER,
    CLEARS
  }

  private static final int BUFFER_BYTES = 1 << 20;

  private final Set<Way> ways;
  private final UdpAddress listener;
  private final UdpSocket front = open();
  private final UdpSocket back = open();
  private final PacketSlots slots = new PacketSlots(1, 1 << 16, HostPinner.none());
  private UdpAddress dialler;
  private long dropped;

  /** A router before {@code fabric}. */
  OldRouter(UdpFabric fabric, Set<Way> ways) {
    ListenAddress address = ListenAddress.decode(fabric.address()).orElseThrow();
    listener = UdpAddress.of(address.seenFrom(address.hostId()).get(0));
    this.ways = ways;
    slots.order(0, 0);
  }

  private static UdpSocket open() {
    return UdpSocket.open(loopback(0), BUFFER_BYTES);
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** Where it is dialled. */
  byte[] address() throws IOException {
    return ListenAddress.of(loopback(front.port())).encode();
  }

  long dropped() {
    return dropped;
  }

  /** Passes on what has come. */
  void progress() {
    while (front.receive(slots, 1) > 0) {
      dialler = slots.peer(0);
      pass(back, listener, Way.DROPS_TO_LISTENER);
    }
    while (back.receive(slots, 1) > 0) {
      pass(front, dialler, Way.DROPS_TO_DIALLER);
    }
  }

  private void pass(UdpSocket socket, UdpAddress to, Way drops) {
    boolean marks = slots.path(0).marks();
    if (marks && ways.contains(drops)) {
      dropped++;
    } else {
      slots.setPath(0, new UdpPath(to, marks && !ways.contains(Way.CLEARS)));
      socket.send(slots, 1); // no room: dropped
    }
  }

  @Override
  public void close() {
    front.close();
    back.close();
    slots.close();
  }
}
