// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import io.tombolo.base.LocalMemory;
import io.tombolo.rdma.reliable.PacketSender;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.function.Consumer;

/** One datagram socket on loopback, of those who have no fabric. */
final class DatagramWire implements PacketSender, Closeable {
  private static final int BUFFER_BYTES = 4 << 20;
  private static final int BATCH = 64;

  private final DatagramChannel socket;
  private final ByteBuffer incoming;
  private SocketAddress peer;

  DatagramWire(int packetBytes) throws IOException {
    socket = DatagramChannel.open();
    incoming = ByteBuffer.allocateDirect(packetBytes);
    socket.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    socket.configureBlocking(false);
  }

  void towards(DatagramWire other) throws IOException {
    peer = other.socket.getLocalAddress();
  }

  /** Hands what has come to {@code taker}. */
  void receive(Consumer<ByteBuffer> taker) throws IOException {
    for (int i = 0; i < BATCH && socket.receive(incoming.clear()) != null; i++) {
      taker.accept(incoming.flip());
    }
  }

  @Override
  public boolean sendControl(ByteBuffer packet) {
    try {
      return socket.send(packet, peer) > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean sendDatagram(
      ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
    throw new IllegalStateException("go-back-n sends whole packets");
  }

  @Override
  public boolean sendAgain(
      int immediate,
      int remoteKey,
      long remoteAddress,
      LocalMemory memory,
      long offset,
      int sizeBytes,
      long cookie,
      long untilNs) {
    throw new IllegalStateException("datagrams are written nowhere");
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
