// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.WakeUps;
import io.tombolo.rdma.staged.PeerSocket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;

/** One end of a stream in memory, through which two links show each other their cards. */
final class CardStream implements PeerSocket {
  /** Where a card says what its side does. */
  private static final int HABITS_AT = 76;

  /** What former builds do not: ask for clear-to-sends. */
  private static final int ASKS = 4;

  private final Queue<Byte> incoming = new ArrayDeque<>();
  private final boolean asks;
  private CardStream peer;
  private int written;
  private boolean closed;
  private int closesAt = Integer.MAX_VALUE;

  private CardStream(boolean asks) {
    this.asks = asks;
  }

  /** Two ends; what is written to the first says that its side asks only if {@code firstAsks}. */
  static CardStream[] pair(boolean firstAsks) {
    CardStream[] ends = {new CardStream(firstAsks), new CardStream(true)};
    ends[0].peer = ends[1];
    ends[1].peer = ends[0];
    return ends;
  }

  @Override
  public boolean finishConnect() {
    return true;
  }

  @Override
  public int write(ByteBuffer from) {
    int count = from.remaining();
    while (from.hasRemaining()) {
      byte word = from.get();
      boolean isHabits = written++ == HABITS_AT;
      peer.incoming.add(isHabits && !asks ? (byte) (word & ~ASKS) : word);
    }
    peer.closed |= written >= peer.closesAt;
    return count;
  }

  @Override
  public int read(ByteBuffer into) {
    if (incoming.isEmpty() && peer.closed) {
      return -1;
    }
    int count = Math.min(into.remaining(), incoming.size());
    for (int i = 0; i < count; i++) {
      into.put(incoming.remove());
    }
    return count;
  }

  /** Closes as soon as {@code bytes} have been written to it in all. */
  void closeAfter(int bytes) {
    closesAt = bytes;
  }

  /** How many bytes have come and were not read. */
  int unread() {
    return incoming.size();
  }

  /** Who writes here drives the other end, too. */
  @Override
  public void awaits(WakeUps wakeUps) {}

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public void close() {
    closed = true;
  }
}
