// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;

/**
 * Stands between a reader and a holder, and ends their connection in the middle of what the holder
 * sends. Several share one budget of bytes: that which uses it up is cut, and the others are not.
 * What is to be passed on may wait before.
 */
final class CutRelay implements AutoCloseable {
  private static final int BLOCK = 1 << 12;

  private final ServerSocket listener;
  private final InetSocketAddress holder;
  private final AtomicLong budget;
  private final IntConsumer before;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CompletableFuture<Void> cut = new CompletableFuture<>();

  CutRelay(InetSocketAddress holder, AtomicLong budget) throws IOException {
    this(holder, budget, size -> {});
  }

  /** Likewise; {@code before} is told how many bytes of the holder's are passed on next. */
  CutRelay(InetSocketAddress holder, AtomicLong budget, IntConsumer before) throws IOException {
    this.listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    this.holder = holder;
    this.budget = budget;
    this.before = before;
    threads.execute(this::serve);
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  boolean isCut() {
    return cut.isDone();
  }

  private void serve() {
    try (Socket reader = listener.accept();
        Socket behind = new Socket(holder.getAddress(), holder.getPort())) {
      threads.execute(() -> pass(reader, behind, new AtomicLong(Long.MAX_VALUE), size -> {}));
      pass(behind, reader, budget, before);
    } catch (IOException e) {
      return; // closed
    }
  }

  private void pass(Socket from, Socket to, AtomicLong bytes, IntConsumer first) {
    byte[] block = new byte[BLOCK];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int size = in.read(block); size >= 0; size = in.read(block)) {
        long left = bytes.addAndGet(-size);
        if (left < 0 && left + size >= 0) {
          cut.complete(null);
          return;
        }
        first.accept(size);
        out.write(block, 0, size);
      }
    } catch (IOException e) {
      return; // the other direction has ended
    }
  }

  @Override
  public void close() throws IOException {
    threads.shutdownNow();
    listener.close();
  }
}
