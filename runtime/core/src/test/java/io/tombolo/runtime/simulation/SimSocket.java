// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;

/** A simulated socket, of who only wants to know whether somebody listens. */
public final class SimSocket extends Socket {
  private final SimSocketChannel channel = new SimSocketChannel(SimThread.here());

  /** One that is not connected. */
  public SimSocket() {}

  @Override
  public void connect(SocketAddress address, int timeoutMs) throws IOException {
    World world = SimThread.here().world;
    boolean unused = channel.connect(address);
    world.await("connect", () -> channel.readyOps() != 0, world.nowNs() + timeoutMs * 1_000_000L);
    if (!channel.finishConnect()) {
      throw new SocketTimeoutException("connect timed out");
    }
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread of a world runs at a time
  public void close() throws IOException {
    channel.close();
  }
}
