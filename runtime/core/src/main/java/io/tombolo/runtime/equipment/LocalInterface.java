// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import io.tombolo.base.errors.UnavailableException;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Which of this host's addresses peers can reach: the one from which the job's store is reached.
 */
public final class LocalInterface {
  private LocalInterface() {}

  /**
   * The address this host would send from to {@code host}; nothing is sent. Loopback stays
   * loopback.
   *
   * @throws UnavailableException if there is no way there, or nobody knows the name
   */
  public static InetAddress towards(String host, int port) {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(new InetSocketAddress(host, port));
      return socket.getLocalAddress();
    } catch (IOException | IllegalArgumentException e) {
      throw new UnavailableException(
          "no way from this host to " + host + " (" + e.getMessage() + "); is MASTER_ADDR right?",
          e);
    }
  }
}
