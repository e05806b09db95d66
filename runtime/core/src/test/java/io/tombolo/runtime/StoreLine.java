// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The way of one process to its store, which can be cut while both live. */
final class StoreLine implements AutoCloseable {
  private static final int BACKLOG = 50;
  private static final int CHUNK_BYTES = 1 << 16;

  private final ServerSocket entry;
  private final InetSocketAddress exit;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile boolean isSilent;

  /** A line to the store at {@code exit}. */
  StoreLine(InetSocketAddress exit) throws IOException {
    this.exit = exit;
    this.entry = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    start(this::welcome);
  }

  /** Where whoever goes this way connects to. */
  InetSocketAddress address() {
    return new InetSocketAddress(entry.getInetAddress(), entry.getLocalPort());
  }

  /** From now on nothing gets through, and neither end hears of that. */
  void silence() {
    isSilent = true;
  }

  /** Ends all connections at both ends. */
  void hangUp() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private void welcome() {
    try {
      while (true) {
        Socket near = opened(entry.accept());
        Socket far = opened(new Socket(exit.getAddress(), exit.getPort()));
        start(() -> carry(near, far));
        start(() -> carry(far, near));
      }
    } catch (IOException e) {
      return; // the line, or the store, has been closed
    }
  }

  private Socket opened(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    sockets.add(socket);
    return socket;
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "store-line");
    thread.setDaemon(true);
    thread.start();
  }

  private void carry(Socket from, Socket to) {
    try (from;
        to) {
      InputStream input = from.getInputStream();
      OutputStream output = to.getOutputStream();
      byte[] chunk = new byte[CHUNK_BYTES];
      for (int length = input.read(chunk); length >= 0; length = input.read(chunk)) {
        if (!isSilent) {
          output.write(chunk, 0, length);
        }
      }
    } catch (IOException e) {
      return; // an end was killed, or hung up
    }
  }

  @Override
  public void close() {
    try (entry) {
      hangUp();
    } catch (IOException e) {
      throw new IllegalStateException("cannot close a line to a store", e);
    }
  }
}
