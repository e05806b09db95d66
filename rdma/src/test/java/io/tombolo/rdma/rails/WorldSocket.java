// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import io.tombolo.rdma.staged.PeerSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;

/** One end of a simulated stream, which takes and gives a few bytes at a time, late. */
final class WorldSocket implements PeerSocket {
  private static final int LONGEST_DELAY_BITS = 22;
  private static final int MOST_AT_ONCE = 100;

  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  private record Piece(long atNs, byte[] bytes) {}

  private final World world;
  private final Queue<Piece> incoming = new ArrayDeque<>();
  private ByteBuffer current = ByteBuffer.allocate(0);
  private WorldSocket peer;
  private long lastNs;
  private boolean closed;

  private WorldSocket(World world) {
    this.world = world;
  }

  static WorldSocket[] pair(World world) {
    WorldSocket[] ends = {new WorldSocket(world), new WorldSocket(world)};
    ends[0].peer = ends[1];
    ends[1].peer = ends[0];
    return ends;
  }

  private void arrive(byte[] bytes) {
    lastNs = Math.max(lastNs, world.read() + world.delay(LONGEST_DELAY_BITS));
    incoming.add(new Piece(lastNs, bytes));
  }

  @Override
  public boolean finishConnect() {
    return true;
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    if (peer.closed) {
      throw new IOException("the peer's end of the stream is closed");
    }
    byte[] piece = new byte[Math.min(from.remaining(), world.dice(MOST_AT_ONCE))];
    from.get(piece);
    if (piece.length > 0) {
      peer.arrive(piece);
    }
    return piece.length;
  }

  /** Writes all of {@code bytes}. */
  void tell(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      write(bytes);
    }
  }

  @Override
  public int read(ByteBuffer into) {
    if (!current.hasRemaining() && !incoming.isEmpty() && incoming.peek().atNs <= world.read()) {
      if (incoming.peek().bytes.length == 0) {
        return -1;
      }
      current = ByteBuffer.wrap(incoming.poll().bytes);
    }
    int count = Math.min(current.remaining(), into.remaining());
    for (int i = 0; i < count; i++) {
      into.put(current.get());
    }
    return count;
  }

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      peer.arrive(new byte[0]);
    }
  }
}
