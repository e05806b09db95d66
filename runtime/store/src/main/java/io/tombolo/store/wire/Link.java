// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.store.memory.Checksum;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/**
 * A TCP connection that carries frames, and tensors' bytes straight from and to native memory.
 * Every wait ends: with a {@link SocketTimeoutException} when nothing has moved for this link's
 * patience, with an {@link InterruptedIOException} by {@link #stop} or an interrupt.
 *
 * <p>For one thread, but for {@link #stop}.
 */
public final class Link implements AutoCloseable {
  private static final int FIRST_BYTES = 4 << 10;

  /** Bytes per system call: few enough to be in a cache still when they are summed up. */
  private static final int CHUNK_BYTES = 256 << 10;

  /** Likewise of those that are received, where so many are there: servers' caches have room. */
  private static final int ARRIVED_BYTES = 1 << 20;

  /** Bytes per system call where they are not summed up. */
  private static final int PIECE_BYTES = 4 << 20;

  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;
  private final Duration patience;
  private volatile boolean stopped;

  private Link(SocketChannel channel, Duration patience) throws IOException {
    this.channel = channel;
    this.patience = patience;
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      this.selector = Selector.open();
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    this.key = channel.register(selector, 0);
  }

  /** The link to who called, on {@code channel}, which is now the link's. */
  public static Link accepted(SocketChannel channel, Duration patience) throws IOException {
    return new Link(channel, patience);
  }

  /** A link to who listens at {@code address}. */
  public static Link connect(InetSocketAddress address, Duration patience) throws IOException {
    Link link = new Link(SocketChannel.open(), patience);
    try {
      if (!link.channel.connect(address)) {
        Deadline deadline = Deadline.after(patience);
        do {
          link.await(SelectionKey.OP_CONNECT, deadline);
        } while (!link.channel.finishConnect());
      }
      return link;
    } catch (IOException | RuntimeException e) {
      link.close();
      throw e;
    }
  }

  /** Sends all that remains in {@code bytes}. */
  public void send(ByteBuffer bytes) throws IOException {
    Deadline deadline = Deadline.after(patience);
    while (bytes.hasRemaining()) {
      if (channel.write(bytes) > 0) {
        deadline = Deadline.after(patience);
      } else {
        await(SelectionKey.OP_WRITE, deadline);
      }
    }
  }

  /** Sends them likewise, whatever interrupts; the interrupt is kept. */
  public void sendThroughInterrupts(ByteBuffer bytes) throws IOException {
    boolean interrupted = false;
    try {
      Deadline deadline = Deadline.after(patience);
      while (bytes.hasRemaining()) {
        interrupted |= Thread.interrupted();
        if (channel.write(bytes) > 0) {
          deadline = Deadline.after(patience);
        } else {
          select(SelectionKey.OP_WRITE, deadline);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Sends {@code sizeBytes} of host memory at {@code address}. Once this has returned, or failed,
   * nobody reads there any more.
   */
  public void send(long address, long sizeBytes) throws IOException {
    for (long done = 0; done < sizeBytes; done += PIECE_BYTES) {
      int length = (int) Math.min(PIECE_BYTES, sizeBytes - done);
      send(NativeMemory.viewOf(address + done, length));
    }
  }

  /** Sends them likewise, and adds them to {@code checksum}. */
  public void send(long address, long sizeBytes, Checksum checksum) throws IOException {
    for (long done = 0; done < sizeBytes; done += CHUNK_BYTES) {
      int length = (int) Math.min(CHUNK_BYTES, sizeBytes - done);
      ByteBuffer chunk = NativeMemory.viewOf(address + done, length);
      send(chunk);
      checksum.add(chunk.rewind());
    }
  }

  /**
   * Fills host memory at {@code address} with {@code sizeBytes}; adds them to {@code checksum}.
   * What has come is summed up before it waits for more, which may come meanwhile.
   */
  public void receive(long address, long sizeBytes, Checksum checksum) throws IOException {
    for (long done = 0; done < sizeBytes; ) {
      int most = (int) Math.min(ARRIVED_BYTES, sizeBytes - done);
      ByteBuffer arrived = NativeMemory.viewOf(address + done, most);
      receiveSome(arrived);
      done += arrived.position();
      checksum.add(arrived.flip());
    }
  }

  /** The next {@code sizeBytes}, little-endian. */
  public ByteBuffer receive(int sizeBytes) throws IOException {
    ByteBuffer in = ByteBuffer.allocate(sizeBytes).order(ByteOrder.LITTLE_ENDIAN);
    fill(in);
    return in.flip();
  }

  /**
   * The next frame, without the length before it.
   *
   * @throws CorruptException if it says that it is longer than {@code mostBytes}
   */
  public ByteBuffer receiveFrame(int mostBytes) throws IOException {
    int length = receive(Integer.BYTES).getInt();
    if (length < 1 || length > mostBytes) {
      throw new CorruptException("a message of %s bytes; at most %s".formatted(length, mostBytes));
    }
    // Memory follows the bytes that came, not the length they announce.
    ByteBuffer in = ByteBuffer.allocate(Math.min(length, FIRST_BYTES));
    fill(in);
    while (in.capacity() < length) {
      in = ByteBuffer.allocate((int) Math.min(length, 2L * in.capacity())).put(in.flip());
      fill(in);
    }
    return in.flip().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Waits until something can be received, or the other side is at its end; without a deadline. */
  public void awaitInput() throws IOException {
    await(SelectionKey.OP_READ, Deadline.after(Duration.ofSeconds(Long.MAX_VALUE)));
  }

  /** Whether something can be received at once, or the other side is at its end. */
  public boolean hasInput() throws IOException {
    try {
      key.interestOps(SelectionKey.OP_READ);
      boolean ready = selector.selectNow() > 0;
      selector.selectedKeys().clear();
      return ready;
    } catch (ClosedSelectorException e) {
      throw new EOFException("this side closed the connection");
    }
  }

  /** Says that nothing more comes, and waits until the other side has closed its end. */
  public void awaitEnd() throws IOException {
    channel.shutdownOutput();
    ByteBuffer rest = ByteBuffer.allocate(FIRST_BYTES);
    while (channel.read(rest.clear()) >= 0) {
      if (rest.position() == 0) {
        awaitInput();
      }
    }
  }

  /** Ends every wait of this link, now and from now on. Thread-safe. */
  public void stop() {
    stopped = true;
    selector.wakeup();
  }

  /** Fails once it is stopped, as a wait does: what is there already is received all the same. */
  public void requireGoing() throws InterruptedIOException {
    if (stopped) {
      throw gaveUp();
    }
  }

  @Override
  public void close() {
    try (selector;
        channel) {
      key.cancel();
    } catch (IOException e) {
      // Both are closed all the same, and nobody uses them again.
      return;
    }
  }

  private void fill(ByteBuffer in) throws IOException {
    while (in.hasRemaining()) {
      receiveSome(in);
    }
  }

  /** Receives what is there, a byte at least: {@code in} has room for one. */
  private void receiveSome(ByteBuffer in) throws IOException {
    Deadline deadline = Deadline.after(patience);
    int got = channel.read(in);
    while (got == 0) {
      await(SelectionKey.OP_READ, deadline);
      got = channel.read(in);
    }
    if (got < 0) {
      throw new EOFException("the other side closed the connection");
    }
  }

  private void await(int operation, Deadline deadline) throws IOException {
    select(operation, deadline);
    if (Thread.currentThread().isInterrupted()) {
      throw gaveUp();
    }
  }

  /** Waits likewise; an interrupt ends the wait, but is no failure. */
  private void select(int operation, Deadline deadline) throws IOException {
    if (deadline.isExpired()) {
      throw new SocketTimeoutException("nothing moved for " + patience.toMillis() + " ms");
    }
    try {
      key.interestOps(operation);
      if (!stopped) {
        selector.select(deadline.waitMs());
      }
      selector.selectedKeys().clear();
    } catch (ClosedSelectorException e) {
      throw new EOFException("this side closed the connection");
    }
    if (stopped) {
      throw gaveUp();
    }
  }

  private static InterruptedIOException gaveUp() {
    return new InterruptedIOException("this side gave up");
  }
}
