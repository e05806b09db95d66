// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import io.tombolo.rdma.staged.PeerSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.OptionalInt;

/**
 * A stream to another process of this host, which can carry descriptors. Its buffers are heap
 * buffers.
 */
final class UnixSocket implements PeerSocket {
  private static final int NONE = -1;

  private final byte[] name;
  private int fd;
  private boolean closed;

  private UnixSocket(byte[] name, int fd) {
    this.name = name;
    this.fd = fd;
  }

  /** The socket that will be connected to the listener called {@code name}. */
  static UnixSocket dialling(byte[] name) {
    return new UnixSocket(name, NONE);
  }

  /** The connected socket {@code fd}. */
  static UnixSocket accepted(int fd) {
    return new UnixSocket(new byte[0], fd);
  }

  @Override
  public boolean finishConnect() throws IOException {
    if (fd == NONE) {
      int result = UnixSystem.connect0(name);
      if (result == UnixSystem.CONNECTION_REFUSED) {
        throw new IOException("nobody listens there any more: its process has ended");
      }
      // A full backlog is the listener's busy moment.
      fd = result == UnixSystem.AGAIN ? NONE : UnixSystem.check("connect to a Unix socket", result);
    }
    return fd != NONE;
  }

  @Override
  public OptionalInt descriptor() {
    return closed || fd == NONE ? OptionalInt.empty() : OptionalInt.of(fd);
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    int from = target.arrayOffset() + target.position();
    int got = UnixSystem.read0(connected(), target.array(), from, target.remaining());
    if (got == UnixSystem.END_OF_STREAM) {
      return -1;
    }
    return advance(target, got, "read from a Unix socket");
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    int from = source.arrayOffset() + source.position();
    int put = UnixSystem.write0(connected(), source.array(), from, source.remaining());
    return advance(source, put, "write to a Unix socket");
  }

  /** Sends a copy of descriptor {@code passed}, with one byte. */
  void sendFd(int passed) throws IOException {
    check("pass a descriptor", UnixSystem.sendFd0(connected(), passed));
  }

  /** The descriptor that comes with the next byte, if it is here; now the caller's. */
  OptionalInt receiveFd() throws IOException {
    int received = UnixSystem.receiveFd0(connected());
    return received == UnixSystem.AGAIN
        ? OptionalInt.empty()
        : OptionalInt.of(check("receive a descriptor", received));
  }

  /**
   * The process at the other end, as the kernel knows it; 0 if this one has no business with it.
   */
  int peerProcess() {
    return UnixSystem.check("ask who is at the other end", UnixSystem.peerProcess0(fd));
  }

  /**
   * Ends the stream: the other end sees that, even if a child of this process has a copy of the
   * descriptor.
   */
  void shutDown() {
    if (!closed && fd != NONE) {
      UnixSystem.check("shut a Unix socket down", UnixSystem.shutDown0(fd));
    }
  }

  /** Whether the other end is closed. */
  boolean isPeerGone() {
    return closed || UnixSystem.check("ask for a socket's state", UnixSystem.peerGone0(fd)) != 0;
  }

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      if (fd != NONE) {
        UnixSystem.check("close a Unix socket", UnixSystem.close0(fd));
      }
    }
  }

  private int connected() throws ClosedChannelException {
    if (closed) {
      throw new ClosedChannelException();
    }
    return fd;
  }

  private static int advance(ByteBuffer buffer, int result, String what) throws IOException {
    int moved = result == UnixSystem.AGAIN ? 0 : check(what, result);
    buffer.position(buffer.position() + moved);
    return moved;
  }

  private static int check(String what, int result) throws IOException {
    if (result == UnixSystem.END_OF_STREAM || result == UnixSystem.CONNECTION_RESET) {
      throw new IOException("the other side closed the connection");
    }
    return UnixSystem.check(what, result);
  }
}
