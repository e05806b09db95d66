// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/** A simulated listening socket. */
final class SimServerSocketChannel extends ServerSocketChannel implements SimSelectable {
  private final SimThread opener;
  private final World world;
  private final Deque<SimSocketChannel> waiting = new ArrayDeque<>();
  private InetSocketAddress address;

  SimServerSocketChannel(SimThread opener) {
    super(new SimProvider(opener));
    this.opener = opener;
    this.world = opener.world;
  }

  SimProcess process() {
    return opener.process;
  }

  /** Somebody has connected: his end here. */
  SimSocketChannel welcome(SimSocketChannel dialler) {
    SimSocketChannel accepted = new SimSocketChannel(opener);
    accepted.join(dialler, address);
    waiting.add(accepted);
    return accepted;
  }

  @Override
  public ServerSocketChannel bind(SocketAddress wanted, int backlog) throws IOException {
    InetSocketAddress asked = (InetSocketAddress) wanted;
    int port = asked.getPort() == 0 ? world.network().newPort() : asked.getPort();
    address = new InetSocketAddress(process().address(), port);
    if (world.network().listener(address).isPresent()) {
      throw new BindException("Address already in use");
    }
    world.network().listen(address, this);
    return this;
  }

  @Override
  public SocketChannel accept() throws IOException {
    world.point();
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    return waiting.poll();
  }

  @Override
  public SocketAddress getLocalAddress() {
    return address;
  }

  @Override
  public int readyOps() {
    return waiting.isEmpty() ? 0 : SelectionKey.OP_ACCEPT;
  }

  @Override
  public boolean isReadable() {
    return !waiting.isEmpty();
  }

  @Override
  protected void implCloseSelectableChannel() {
    if (address != null) {
      world.network().unlisten(address);
    }
    waiting.forEach(each -> each.hangUp(true));
    waiting.clear();
  }

  @Override
  protected void implConfigureBlocking(boolean block) {
    // Whoever accepts has been told that somebody is there.
  }

  @Override
  public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) {
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
  public ServerSocket socket() {
    throw new UnsupportedOperationException("a simulated channel has no socket");
  }
}
