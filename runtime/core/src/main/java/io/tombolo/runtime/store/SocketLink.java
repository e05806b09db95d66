package io.tombolo.runtime.store;

import io.tombolo.base.Deadline;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * A client's socket on which no read, write or connect outlasts its deadline.
 *
 * <p>Used by one thread at a time; {@link #close} may come from any and ends what is under way.
 * Every method throws {@link SocketTimeoutException} when the deadline passed and {@link
 * InterruptedIOException} when the thread was interrupted, with its interrupt status kept.
 */
final class SocketLink implements AutoCloseable {
  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;

  private SocketLink(SocketChannel channel) throws IOException {
    this.channel = channel;
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    this.selector = Selector.open();
    this.key = channel.register(selector, 0);
  }

  static SocketLink connect(InetSocketAddress address, Deadline deadline) throws IOException {
    SocketLink link = new SocketLink(SocketChannel.open());
    try {
      if (!link.channel.connect(address)) {
        do {
          link.pause(SelectionKey.OP_CONNECT, deadline);
        } while (!link.channel.finishConnect());
      }
      return link;
    } catch (IOException e) {
      link.close();
      throw e;
    }
  }

  void send(byte[] message, Deadline deadline) throws IOException {
    ByteBuffer out = ByteBuffer.wrap(message);
    while (true) {
      channel.write(out);
      if (!out.hasRemaining()) {
        return;
      }
      pause(SelectionKey.OP_WRITE, deadline);
    }
  }

  /** Exactly {@code sizeBytes}, as a little-endian buffer. */
  ByteBuffer receive(int sizeBytes, Deadline deadline) throws IOException {
    ByteBuffer in = ByteBuffer.allocate(sizeBytes).order(ByteOrder.LITTLE_ENDIAN);
    while (true) {
      if (channel.read(in) < 0) {
        throw new EOFException("the other side closed the connection");
      }
      if (!in.hasRemaining()) {
        return in.flip();
      }
      pause(SelectionKey.OP_READ, deadline);
    }
  }

  @Override
  public void close() {
    try (selector;
        channel) {
      selector.wakeup();
    } catch (IOException e) {
      // Both are closed all the same, and nobody reads from them again.
      return;
    }
  }

  private void pause(int operation, Deadline deadline) throws IOException {
    if (deadline.isExpired()) {
      throw new SocketTimeoutException(deadline.toString());
    }
    try {
      key.interestOps(operation);
      selector.select(Math.max(1, deadline.remainingMs()));
      selector.selectedKeys().clear();
    } catch (ClosedSelectorException | CancelledKeyException e) {
      throw new EOFException("this side closed the connection");
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted");
    }
  }
}
