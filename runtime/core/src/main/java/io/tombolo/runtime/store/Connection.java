// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server's socket to one client, with the bytes on their way. Used by the server's thread. */
final class Connection {
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
  private static final int IDLE_INPUT_BYTES = 1 << 10;

  /** A message on its way, and what of it the socket has not taken yet. */
  @SuppressWarnings("ArrayRecordComponent") // it stands for the very array that others hold, too
  private record Outgoing(byte[] message, ByteBuffer rest) {}

  private final SocketChannel channel;
  private final SelectionKey key;
  private final StoreEngine engine;
  private final MemoryBudget budget;
  private final ServerSession session;
  private final Deque<Outgoing> output = new ArrayDeque<>();
  private final String peer;
  private ByteBuffer input;
  private boolean spoke;
  private boolean closed;

  Connection(
      SelectionKey key,
      StoreEngine engine,
      MemoryBudget budget,
      Optional<JobToken> token,
      Connections connections,
      String peer) {
    this.channel = (SocketChannel) key.channel();
    this.key = key;
    this.engine = engine;
    this.budget = budget;
    this.session = new ServerSession(engine, token, connections, this::send);
    this.peer = peer;
    this.input = inputOf(0);
  }

  boolean isAlive() {
    return !closed;
  }

  /** Whether the client has shown who it is. */
  boolean isOpen() {
    return session.isOpen();
  }

  /** Whether the client has said anything, if only just now. */
  boolean hasSpoken() {
    if (!spoke && !closed) {
      hear();
    }
    return spoke;
  }

  private void hear() {
    try {
      read();
    } catch (TomboloException e) {
      end(e);
    } catch (IOException e) {
      close();
    }
  }

  /** Ends the connection for another's sake, of a stranger, the {@code number}th one so far. */
  void evict(int number) {
    if (Integer.bitCount(number) == 1) { // a crowd of strangers is not to fill the log
      LOG.warn(
          "the store drops {}, which has not introduced itself, to make room: the {}. one so far",
          peer,
          number);
    }
    close();
  }

  /** Does what the socket is ready for; whatever goes wrong ends this connection only. */
  void onReady() {
    try {
      if (key.isWritable()) {
        flush();
      }
      if (!closed && key.isReadable()) {
        read();
      }
    } catch (TomboloException e) {
      end(e);
    } catch (IOException e) {
      close(); // a client that was killed: nothing to report here
    } catch (RuntimeException e) {
      LOG.error("the store drops {} because of its own fault", peer, e);
      close();
    }
  }

  /**
   * Ends the connection, and says why to a client that has asked for more than there is; whoever
   * takes nothing meanwhile hears only a part of it, or nothing.
   */
  private void end(TomboloException e) {
    if (e instanceof ResourceException && session.hearsLastWords() && output.isEmpty()) {
      try {
        channel.write(ByteBuffer.wrap(LastWords.message(e.getMessage())));
      } catch (IOException gone) {
        LOG.debug("telling {} why it is dropped", peer, gone);
      }
    }
    drop(e.getMessage());
  }

  /** Ends the connection and says why in one line. */
  void drop(String reason) {
    LOG.warn("the store drops its connection to {}: {}", peer, reason);
    close();
  }

  void close() {
    if (closed) {
      return;
    }
    closed = true;
    key.cancel();
    engine.forget(session);
    budget.release(input.capacity());
    output.forEach(outgoing -> budget.letGo(outgoing.message()));
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("closing the connection to {}", peer, e);
    }
  }

  private void read() throws IOException {
    makeRoom();
    int heard = channel.read(input);
    if (heard < 0) {
      close();
      return;
    }
    spoke |= heard > 0;
    input.flip();
    session.consume(input);
    input.compact();
    if (!closed && input.position() == 0 && input.capacity() > IDLE_INPUT_BYTES) {
      budget.release(input.capacity());
      input = inputOf(0);
    }
  }

  /** Doubles a full buffer: memory follows the bytes that came, not the lengths they announce. */
  private void makeRoom() {
    if (!input.hasRemaining()) {
      ByteBuffer full = input;
      input = inputOf(Math.min(2L * full.capacity(), Limits.REQUEST_BYTES)).put(full.flip());
      budget.release(full.capacity());
    }
  }

  private ByteBuffer inputOf(long sizeBytes) {
    int capacity = (int) Math.max(IDLE_INPUT_BYTES, sizeBytes);
    budget.reserve(capacity);
    return ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Sends {@code message}, or as much as the socket takes now. May be called for another's request.
   * The same array may be on its way to thousands of clients.
   */
  private void send(byte[] message) {
    try {
      budget.hold(message);
      output.add(new Outgoing(message, ByteBuffer.wrap(message)));
      flush();
    } catch (TomboloException e) {
      end(e);
    } catch (IOException e) {
      close();
    }
  }

  private void flush() throws IOException {
    while (!output.isEmpty()) {
      Outgoing first = output.peek();
      channel.write(first.rest());
      if (first.rest().hasRemaining()) {
        key.interestOpsOr(SelectionKey.OP_WRITE);
        return;
      }
      output.remove();
      budget.letGo(first.message());
    }
    key.interestOpsAnd(~SelectionKey.OP_WRITE);
  }
}
