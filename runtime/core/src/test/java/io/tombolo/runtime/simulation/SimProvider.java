// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.net.ProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;

/** The channels of a process of a {@link World}. */
final class SimProvider extends SelectorProvider {
  private final SimThread opener;

  SimProvider(SimThread opener) {
    this.opener = opener;
  }

  @Override
  public DatagramChannel openDatagramChannel() {
    throw new UnsupportedOperationException("there are no datagrams in a simulation");
  }

  @Override
  public DatagramChannel openDatagramChannel(ProtocolFamily family) {
    return openDatagramChannel();
  }

  @Override
  public Pipe openPipe() {
    throw new UnsupportedOperationException("there are no pipes in a simulation");
  }

  @Override
  public AbstractSelector openSelector() {
    return new SimSelector(opener);
  }

  @Override
  public ServerSocketChannel openServerSocketChannel() {
    return new SimServerSocketChannel(opener);
  }

  @Override
  public SocketChannel openSocketChannel() {
    return new SimSocketChannel(opener);
  }
}
