// SPDX-License-Identifier: Apache-2.0
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
import java.util.function.IntSupplier;

/**
 * A client's socket on which no read, write or connect outlasts its deadline.
 *
 * <p>Used by one thread at a time; {@link #close} may come from any and ends what is under way.
 * Every method throws {@link SocketTimeoutException} when the deadline passed and {@link
 * InterruptedIOException} when the thread was interrupted, with its interrupt status kept, unless
 * it is {@linkplain #shield shielded} from that.
 */
final class SocketLink implements AutoCloseable {
  /** Whoever waits looks at the time at least so often: some clocks count only that. */
  static final int LOOK_MS = 250;

  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;
  private boolean shielded;
  private boolean interrupted;

  private SocketLink(SocketChannel channel) throws IOException {
    this.channel = channel;
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    this.selector = Selector.open();
    this.key = channel.register(selector, 0);
  }

  static SocketLink connect(InetSocketAddress address, Deadline deadline) throws IOException {
    SocketLink link = over(SocketChannel.open());
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

  /** Takes {@code channel}, also if there is no selector to be had. */
  private static SocketLink over(SocketChannel channel) throws IOException {
    try {
      return new SocketLink(channel);
    } catch (IOException e) {
      channel.close();
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

  /** From now on interrupts end no exchange half way; they come back with {@link #unshield}. */
  void shield() {
    shielded = true;
  }

  /** The exchange is over: gives its thread back the interrupt that came meanwhile. */
  void unshield() {
    if (interrupted) {
      interrupted = false;
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Whether there is something to receive. False as soon as {@code patienceMs} says 0, which is
   * asked after so many milliseconds and after {@link #wake}, or the thread is interrupted.
   */
  boolean awaitInput(IntSupplier patienceMs) throws IOException {
    try {
      key.interestOps(SelectionKey.OP_READ);
      for (int ms = patienceMs.getAsInt(); ms > 0; ms = patienceMs.getAsInt()) {
        if (interrupted || Thread.currentThread().isInterrupted()) {
          return false;
        }
        if (selector.select(ms) > 0) {
          selector.selectedKeys().clear();
          return true;
        }
      }
      return false;
    } catch (ClosedSelectorException | CancelledKeyException e) {
      throw new EOFException("this side closed the connection");
    }
  }

  /** Has {@link #awaitInput} look again. Thread-safe. */
  void wake() {
    selector.wakeup();
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
      interrupted |= shielded && Thread.interrupted(); // else the selector would not wait
      key.interestOps(operation);
      selector.select(Math.min(LOOK_MS, deadline.waitMs()));
      selector.selectedKeys().clear();
    } catch (ClosedSelectorException | CancelledKeyException e) {
      throw new EOFException("this side closed the connection");
    }
    if (!shielded && Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted");
    }
  }
}
