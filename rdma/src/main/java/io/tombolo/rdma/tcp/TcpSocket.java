// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.tcp;

import static java.math.RoundingMode.CEILING;

import com.google.common.math.LongMath;
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
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;

/**
 * A TCP stream. When dialling, a peer's addresses are tried in turn, each with its share of the
 * time left.
 */
final class TcpSocket implements PeerSocket {
  private static final int KEEPALIVE_PROBES = 3;
  private static final int MOST_SECONDS = Short.MAX_VALUE; // Linux takes no more

  /** What Linux says if nothing answers, and if nobody knows the way any more (errno(3)). */
  private static final List<String> GIVEN_UP = List.of("timed out", "No route to host");

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
    try {
      int bytes = channel.read(target);
      if (bytes == 0) {
        answers.check();
      }
      return bytes;
    } catch (IOException e) {
      throw told(e, silence);
    }
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    try {
      int bytes = channel.write(source);
      if (bytes > 0) {
        answers.sent();
      } else {
        answers.check();
      }
      return bytes;
    } catch (IOException e) {
      throw told(e, silence);
    }
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

  /** The kernel gives up in the way in which we do; there is no other sign than its words. */
  static IOException told(IOException e, Duration silence) {
    String why = String.valueOf(e.getMessage());
    return GIVEN_UP.stream().anyMatch(why::contains) ? TcpAnswers.missing(silence.toMillis()) : e;
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

  /**
   * Keep-alive finds a host that is gone while nothing is unanswered: in the given time, too, in
   * seconds rounded up.
   */
  private static SocketChannel configured(SocketChannel channel, Duration silence)
      throws IOException {
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    if (!silence.isZero()) {
      channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, seconds(silence, 2));
      channel.setOption(
          ExtendedSocketOptions.TCP_KEEPINTERVAL, seconds(silence, 2 * KEEPALIVE_PROBES));
      channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEPALIVE_PROBES);
    }
    return channel;
  }

  private static int seconds(Duration silence, int parts) {
    long partMs = TimeUnit.SECONDS.toMillis(parts);
    return (int) Math.min(MOST_SECONDS, LongMath.divide(silence.toMillis(), partMs, CEILING));
  }
}
