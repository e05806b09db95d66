// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/**
 * A port for a store that a program will host. It lies below those that Linux gives out of itself
 * (net.ipv4.ip_local_port_range), so that no connection takes it between the look and the program.
 */
final class FreePort {
  private static final int FIRST = 10_000;
  private static final int END = 32_768;
  private static final int TRIES = 100;

  private FreePort() {}

  static int find() {
    long from = System.nanoTime() / 1000; // so that no two in a row begin at the same
    for (int i = 0; i < TRIES; i++) {
      int port = FIRST + Math.floorMod(from + i, END - FIRST);
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return free.getLocalPort();
      } catch (IOException taken) {
        // the next one may be free
      }
    }
    throw new IllegalStateException("none of " + TRIES + " ports is free");
  }
}
