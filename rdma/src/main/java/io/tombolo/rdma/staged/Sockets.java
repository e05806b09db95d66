// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import java.io.Closeable;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Small help with sockets. */
public final class Sockets {
  private static final Logger log = LoggerFactory.getLogger(Sockets.class);

  private Sockets() {}

  /** Closes {@code socket} on a path where another error matters more, or none does. */
  public static void closeQuietly(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      log.debug("closing a socket failed: {}", e.toString());
    }
  }
}
