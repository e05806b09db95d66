// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.tcp;

import io.tombolo.base.Deadline;
import io.tombolo.base.NativeWaiter;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.Sockets;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
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

  private final Duration silence;
  private final TcpAnswers answers;
  private final ArrayDeque<InetSocketAddress> untried;
  private final Deadline deadline;
  private SocketChannel channel;
  private InetSocketAddress target;
  private long attemptEndNs;
  private OptionalInt descriptor = OptionalInt.empty();
  private boolean closed;

  private TcpSocket(
      Collection<InetSocketAddress> candidates,
      Deadline deadline,
      SocketChannel channel,
      Duration silence) {
    this.silence = silence;
    this.answers = new TcpAnswers(silence, System::nanoTime, this::unanswered);
    this.untried = new ArrayDeque<>(candidates);
    this.deadline = deadline;
    this.channel = channel;
  }

  /**
   * The socket that will be connected to the first of {@code candidates} that answers.
   *
   * @param silence after which a host that answers nothing counts as gone; zero: not soon
   */
  static TcpSocket dialling(
      Collection<InetSocketAddress> candidates, Deadline deadline, Duration silence) {
    return new TcpSocket(candidates, deadline, null, silence);
  }

  /** The connected socket {@code channel}, which it takes; {@code silence} as in the other. */
  static TcpSocket accepted(SocketChannel channel, Duration silence) throws IOException {
    return new TcpSocket(new ArrayDeque<>(), null, configured(channel, silence), silence);
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
    channel = configured(SocketChannel.open(), silence);
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
    int bytes = channel.read(target);
    if (bytes == 0) {
      answers.check();
    }
    return bytes;
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    int bytes = channel.write(source);
    if (bytes > 0) {
      answers.sent();
    } else {
      answers.check();
    }
    return bytes;
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

  private long unanswered() {
    OptionalInt known = descriptor();
    return known.isPresent() ? TcpSystem.unanswered0(known.getAsInt()) : 0;
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    PeerSocket.super.awaits(wakeUps);
    answers.awaits(wakeUps);
  }

  private static SocketChannel configured(SocketChannel channel, Duration silence)
      throws IOException {
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    channel.setOption(
        ExtendedSocketOptions.TCP_KEEPIDLE, seconds(KEEPALIVE_IDLE_SECONDS, silence.dividedBy(2)));
    channel.setOption(
        ExtendedSocketOptions.TCP_KEEPINTERVAL,
        seconds(KEEPALIVE_INTERVAL_SECONDS, silence.dividedBy(2L * KEEPALIVE_PROBES)));
    channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEPALIVE_PROBES);
    return channel;
  }

  /** {@code share} of the time in which a host that is gone is found, but no more than usual. */
  private static int seconds(int usual, Duration share) {
    return share.isZero() ? usual : (int) Math.max(1, Math.min(usual, share.toSeconds()));
  }
}
