// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A port of this host that nobody listens on, and that the system hands to nobody by itself: it is
 * below those that it does (Linux: ip_local_port_range), so that it is still free when a test comes
 * to use it.
 */
final class StillPort {
  private static final int FIRST = 20_000;
  private static final int COUNT = 10_000;

  private final AtomicInteger next =
      new AtomicInteger((int) (ProcessHandle.current().pid() * 31 % COUNT));

  InetSocketAddress find() {
    IOException taken = null;
    for (int tried = 0; tried < COUNT; tried++) {
      int port = FIRST + next.getAndIncrement() % COUNT;
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return new InetSocketAddress(free.getInetAddress(), port);
      } catch (IOException e) {
        taken = e;
      }
    }
    throw new IllegalStateException("no port from " + FIRST + " on is free", taken);
  }
}
