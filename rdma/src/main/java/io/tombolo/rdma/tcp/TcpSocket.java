// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.tcp;

import io.tombolo.base.Deadline;
import io.tombolo.base.NativeWaiter;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.Sockets;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.OptionalInt;
import jdk.net.ExtendedSocketOptions;

/**
 * A TCP stream. When dialling, a peer's addresses are tried in turn, each with its share of the
 * time left.
 */
final class TcpSocket implements PeerSocket {
  private static final int KEEPALIVE_IDLE_SECONDS = 10;
  private static final int KEEPALIVE_INTERVAL_SECONDS = 5;
  private static final int KEEPALIVE_PROBES = 3;

  private final ArrayDeque<InetSocketAddress> untried;
  private final Deadline deadline;
  private SocketChannel channel;
  private InetSocketAddress target;
  private long attemptEndNs;
  private OptionalInt descriptor = OptionalInt.empty();
  private boolean closed;

  private TcpSocket(
      Collection<InetSocketAddress> candidates, Deadline deadline, SocketChannel channel) {
    this.untried = new ArrayDeque<>(candidates);
    this.deadline = deadline;
    this.channel = channel;
  }

  /** The socket that will be connected to the first of {@code candidates} that answers. */
  static TcpSocket dialling(Collection<InetSocketAddress> candidates, Deadline deadline) {
    return new TcpSocket(candidates, deadline, null);
  }

  /** The connected socket {@code channel}, which it takes. */
  static TcpSocket accepted(SocketChannel channel) throws IOException {
    return new TcpSocket(new ArrayDeque<>(), null, configured(channel));
  }

  @Override
  public boolean finishConnect() throws IOException {
    try {
      if (channel == null) {
        beginAttempt();
      }
      if (channel.finishConnect()) {
        return true;
      }
      if (!untried.isEmpty() && deadline.elapsedNs() > attemptEndNs) {
        throw new ConnectException("no answer");
      }
    } catch (IOException e) {
      endAttempt(e);
    }
    return false;
  }

  private void beginAttempt() throws IOException {
    target = untried.removeFirst();
    attemptEndNs = deadline.elapsedNs() + deadline.remainingNs() / (untried.size() + 1);
    channel = configured(SocketChannel.open());
    descriptor = OptionalInt.empty();
    channel.connect(target);
  }

  private void endAttempt(IOException why) throws IOException {
    if (untried.isEmpty()) {
      throw new IOException("cannot connect to " + target + ": " + why.getMessage(), why);
    }
    if (channel != null) {
      Sockets.closeQuietly(channel);
      channel = null;
    }
  }

  @Override
  public OptionalInt descriptor() {
    if (closed || channel == null) {
      return OptionalInt.empty();
    }
    if (descriptor.isEmpty()) {
      descriptor = NativeWaiter.descriptorOf(channel);
    }
    return descriptor;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    return channel.read(target);
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    return channel.write(source);
  }

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public void close() throws IOException {
    closed = true;
    if (channel != null) {
      channel.close();
    }
  }

  private static SocketChannel configured(SocketChannel channel) throws IOException {
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS);
    channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEPALIVE_INTERVAL_SECONDS);
    channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEPALIVE_PROBES);
    return channel;
  }
}
