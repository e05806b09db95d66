// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** A socket whose other end says what it was told to, then nothing. */
public final class ScriptedSocket implements PeerSocket {
  private final ByteBuffer lines;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  /** A socket from which {@code lines} can be read. */
  public ScriptedSocket(byte[] lines) {
    this.lines = ByteBuffer.wrap(lines);
  }

  /** What has been written to it. */
  public byte[] written() {
    return written.toByteArray();
  }

  @Override
  public boolean finishConnect() {
    return true;
  }

  @Override
  public int read(ByteBuffer target) {
    int count = Math.min(target.remaining(), lines.remaining());
    target.put(lines.slice().limit(count));
    lines.position(lines.position() + count);
    return count;
  }

  @Override
  public int write(ByteBuffer source) {
    int count = source.remaining();
    byte[] bytes = new byte[count];
    source.get(bytes);
    written.writeBytes(bytes);
    return count;
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public void close() {}
}
