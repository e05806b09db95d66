// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;

/** One of two ends of a stream in memory, which takes and gives only some bytes at a time. */
final class TricklingSocket implements PeerSocket {
  private final Queue<Byte> incoming = new ArrayDeque<>();
  private final int most;
  private TricklingSocket peer;
  private boolean closed;

  /** What reading and writing meet from now on; null: nothing. */
  private IOException unreadable;

  private IOException unwritable;

  private TricklingSocket(int most) {
    this.most = most;
  }

  /** Two ends, of which each call moves {@code most} bytes at most. */
  static TricklingSocket[] pair(int most) {
    TricklingSocket[] ends = {new TricklingSocket(most), new TricklingSocket(most)};
    ends[0].peer = ends[1];
    ends[1].peer = ends[0];
    return ends;
  }

  /** Nothing can be read or written any more, because of {@code why}. */
  void breakOff(IOException why) {
    unreadable = why;
    closeForWriting(why);
  }

  /** Nothing can be written any more, because of {@code why}. */
  void closeForWriting(IOException why) {
    unwritable = why;
  }

  @Override
  public boolean finishConnect() {
    return true;
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    if (unwritable != null) {
      throw unwritable;
    }
    int count = Math.min(most, source.remaining());
    for (int i = 0; i < count; i++) {
      peer.incoming.add(source.get());
    }
    return count;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    if (unreadable != null) {
      throw unreadable;
    }
    if (incoming.isEmpty() && peer.closed) {
      return -1;
    }
    int count = Math.min(most, Math.min(target.remaining(), incoming.size()));
    for (int i = 0; i < count; i++) {
      target.put(incoming.remove());
    }
    return count;
  }

  /** What has come and was not read. */
  byte[] unread() {
    byte[] bytes = new byte[incoming.size()];
    int at = 0;
    for (byte each : incoming) {
      bytes[at++] = each;
    }
    return bytes;
  }

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public void close() {
    closed = true;
  }
}
