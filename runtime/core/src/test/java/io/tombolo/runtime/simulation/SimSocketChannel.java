// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;

/** One end of a simulated TCP connection. Never blocks, whatever it is told. */
final class SimSocketChannel extends SocketChannel implements SimSelectable {
  private static final Set<SocketOption<?>> KEEP_ALIVE =
      Set.of(
          StandardSocketOptions.SO_KEEPALIVE,
          ExtendedSocketOptions.TCP_KEEPIDLE,
          ExtendedSocketOptions.TCP_KEEPINTERVAL,
          ExtendedSocketOptions.TCP_KEEPCOUNT);

  private final World world;
  private final SimProcess process;
  private final Deque<ByteBuffer> input = new ArrayDeque<>();
  private final Map<SocketOption<?>, Object> options = new HashMap<>();
  private Optional<SimSocketChannel> peer = Optional.empty();
  private InetSocketAddress remote;
  private InetSocketAddress local;
  private boolean connecting;
  private boolean refused;
  private boolean ended;
  private boolean reset;
  private boolean hungUp;
  private boolean givenUp;

  /** Bytes that this end has sent and the other has not taken. */
  private int underWay;

  /** When the last of what this end has sent arrives. */
  private long lastNs;

  /** When the first of what this end has sent did not arrive, as the two are cut off. */
  private OptionalLong lostNs = OptionalLong.empty();

  SimSocketChannel(SimThread opener) {
    super(new SimProvider(opener));
    this.world = opener.world;
    this.process = opener.process;
    world.network().opened(this);
  }

  SimProcess process() {
    return process;
  }

  /** This end has been accepted at {@code here}. */
  void join(SimSocketChannel dialler, InetSocketAddress here) {
    peer = Optional.of(dialler);
    local = here;
    remote = dialler.local;
  }

  @Override
  public boolean connect(SocketAddress address) throws IOException {
    world.point();
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    remote = (InetSocketAddress) address;
    local = new InetSocketAddress(process.address(), world.network().newPort());
    connecting = true;
    world.after(world.network().delayNs(process, process), this::knock);
    return false;
  }

  /** Who is cut off, or calls one who is, is never answered. */
  private void knock() {
    if (!world.network().answers(process, remote.getAddress()) || hungUp) {
      return;
    }
    Optional<SimServerSocketChannel> listener = world.network().listener(remote);
    if (listener.isPresent()) {
      peer = Optional.of(listener.get().welcome(this));
    } else {
      refused = true;
    }
  }

  @Override
  public boolean finishConnect() throws IOException {
    world.point();
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    if (refused) {
      throw new ConnectException("Connection refused");
    }
    connecting &= peer.isEmpty();
    return !connecting;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    world.point();
    ensureConnected();
    if (input.isEmpty()) {
      ensureNotGivenUp();
      if (reset) {
        throw new SocketException("Connection reset");
      }
      return ended ? -1 : 0;
    }
    int taken = 0;
    while (!input.isEmpty() && target.hasRemaining()) {
      ByteBuffer first = input.peek();
      int size = Math.min(first.remaining(), target.remaining());
      target.put(first.slice().limit(size));
      first.position(first.position() + size);
      if (!first.hasRemaining()) {
        input.remove();
      }
      taken += size;
    }
    peer.orElseThrow().underWay -= taken;
    world.stir();
    return taken;
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    world.point();
    ensureConnected();
    ensureNotGivenUp();
    if (ended || reset) {
      throw new IOException("Broken pipe");
    }
    int size = Math.min(source.remaining(), world.socketBytes() - underWay);
    if (size > 0) {
      byte[] bytes = new byte[size];
      source.get(bytes);
      underWay += size;
      send(() -> peer.orElseThrow().arrive(bytes));
    }
    return size;
  }

  /** Things arrive in the order in which they were sent. */
  private void send(Runnable arrival) {
    SimProcess to = peer.orElseThrow().process;
    lastNs = Math.max(lastNs, world.nowNs() + world.network().delayNs(process, to));
    world.after(lastNs - world.nowNs(), () -> arriveUnlessCut(to, arrival));
  }

  private void arriveUnlessCut(SimProcess to, Runnable arrival) {
    if (process.reaches(to)) {
      arrival.run();
    } else if (lostNs.isEmpty()) {
      lostNs = OptionalLong.of(world.nowNs());
    }
  }

  /**
   * 0 if all has arrived, 1 while it is on its way; once some of it was lost, as many milliseconds
   * more as it has been sent again in vain.
   */
  long unanswered() {
    if (lostNs.isPresent()) {
      return 1 + TimeUnit.NANOSECONDS.toMillis(world.nowNs() - lostNs.getAsLong());
    }
    return world.nowNs() <= lastNs ? 1 : 0;
  }

  /** If the two are cut off from each other, keep-alive, where it is set, asks in vain from now. */
  void onCut() {
    if (options.keySet().containsAll(KEEP_ALIVE)
        && peer.isPresent()
        && !process.reaches(peer.get().process)) {
      world.after(keepAliveNs(), this::giveUp);
    }
  }

  private long keepAliveNs() {
    return TimeUnit.SECONDS.toNanos(
        number(ExtendedSocketOptions.TCP_KEEPIDLE)
            + number(ExtendedSocketOptions.TCP_KEEPCOUNT)
                * number(ExtendedSocketOptions.TCP_KEEPINTERVAL));
  }

  private long number(SocketOption<Integer> option) {
    return option.type().cast(options.get(option));
  }

  /** As in Linux, keep-alive asks nothing while something is unanswered. */
  private void giveUp() {
    givenUp = unanswered() == 0;
  }

  private void ensureNotGivenUp() throws IOException {
    if (givenUp) {
      throw new SocketException("Connection timed out");
    }
  }

  private void arrive(byte[] bytes) {
    if (hungUp) {
      peer.orElseThrow().onReset();
    } else if (!ended && !reset) {
      input.add(ByteBuffer.wrap(bytes));
    }
  }

  private void onReset() {
    reset = true;
    input.clear();
  }

  private void onEnd() {
    ended = true;
  }

  /** The end of this end; {@code rudely} if nobody has read what came. */
  void hangUp(boolean rudely) {
    if (hungUp) {
      return;
    }
    hungUp = true;
    world.network().closed(this);
    if (peer.isPresent()) {
      SimSocketChannel other = peer.get();
      boolean unread = !input.isEmpty();
      send(rudely && unread ? other::onReset : other::onEnd);
    }
  }

  private void ensureConnected() throws IOException {
    if (!isOpen() || hungUp) {
      throw new ClosedChannelException();
    }
    if (connecting || peer.isEmpty()) {
      throw new NotYetConnectedException();
    }
  }

  @Override
  public int readyOps() {
    if (connecting) {
      return peer.isPresent() || refused ? SelectionKey.OP_CONNECT : 0;
    }
    return (isReadable() ? SelectionKey.OP_READ : 0)
        | (underWay < world.socketBytes() || ended || reset || givenUp ? SelectionKey.OP_WRITE : 0);
  }

  @Override
  public boolean isReadable() {
    return !input.isEmpty() || ended || reset || refused || givenUp;
  }

  @Override
  protected void implCloseSelectableChannel() {
    hangUp(true);
  }

  @Override
  protected void implConfigureBlocking(boolean block) {
    // Whoever reads or writes has been told that he can.
  }

  @Override
  public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
    long all = 0;
    for (ByteBuffer each : Arrays.asList(targets).subList(offset, offset + length)) {
      all += read(each);
    }
    return all;
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    long all = 0;
    for (ByteBuffer each : Arrays.asList(sources).subList(offset, offset + length)) {
      all += write(each);
    }
    return all;
  }

  @Override
  public SocketChannel bind(SocketAddress address) {
    throw new UnsupportedOperationException("nobody binds what he connects");
  }

  @Override
  public <T> SocketChannel setOption(SocketOption<T> name, T value) {
    options.put(name, value);
    onCut();
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) {
    throw new UnsupportedOperationException(name.name());
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return Set.of();
  }

  @Override
  public SocketChannel shutdownInput() {
    throw new UnsupportedOperationException("only both ends together");
  }

  @Override
  public SocketChannel shutdownOutput() {
    throw new UnsupportedOperationException("only both ends together");
  }

  @Override
  public Socket socket() {
    throw new UnsupportedOperationException("a simulated channel has no socket");
  }

  @Override
  public boolean isConnected() {
    return peer.isPresent() && !connecting;
  }

  @Override
  public boolean isConnectionPending() {
    return connecting;
  }

  @Override
  public SocketAddress getRemoteAddress() {
    return remote;
  }

  @Override
  public SocketAddress getLocalAddress() {
    return local;
  }
}
