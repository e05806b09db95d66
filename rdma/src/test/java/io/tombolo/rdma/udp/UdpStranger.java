// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;

import io.tombolo.base.Deadline;
import io.tombolo.rdma.ip.ListenAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.Optional;

/** A socket of nobody's, which talks to one fabric. */
final class UdpStranger implements AutoCloseable {
  private static final Duration BUDGET = Duration.ofSeconds(60);

  private final DatagramChannel socket;
  private final InetSocketAddress target;
  private final ByteBuffer buffer = ByteBuffer.allocate(10_000).order(ByteOrder.LITTLE_ENDIAN);

  UdpStranger(UdpFabric fabric) throws IOException {
    ListenAddress address = ListenAddress.decode(fabric.address()).orElseThrow();
    target = address.seenFrom(address.hostId()).get(0);
    socket = DatagramChannel.open();
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    socket.configureBlocking(false);
  }

  byte[] address() throws IOException {
    return ListenAddress.of((InetSocketAddress) socket.getLocalAddress()).encode();
  }

  void say(ByteBuffer packet) throws IOException {
    assertEquals(socket.send(packet, target), packet.limit());
  }

  Greeting hear(UdpFabric fabric) throws IOException {
    return heard(fabric).orElseThrow(() -> new AssertionError("that is no word of a handshake"));
  }

  /** The next packet, if it is one of a handshake. */
  Optional<Greeting> heard(UdpFabric fabric) throws IOException {
    Deadline deadline = Deadline.after(BUDGET);
    buffer.clear();
    while (socket.receive(buffer) == null) {
      fabric.progress();
      assertFalse(deadline.isExpired(), "no answer within " + BUDGET);
    }
    return Greeting.isOne(buffer.flip()) ? Optional.of(Greeting.read(buffer)) : Optional.empty();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
