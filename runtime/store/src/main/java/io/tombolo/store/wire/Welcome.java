// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import io.tombolo.store.memory.MemoryFileName;
import java.nio.ByteBuffer;

/**
 * A volume's first words to a client that knows the token.
 *
 * @param hostId the host whose processes can map the volume's memory
 * @param memory where they find it
 */
public record Welcome(String hostId, MemoryFileName memory) {
  private static final int HOST_ID_BYTES = 64;

  /** These words as bytes, with their length before them. */
  public ByteBuffer frame() {
    return new FieldWriter()
        .text(hostId, HOST_ID_BYTES)
        .i64(memory.pid())
        .i32(memory.descriptor())
        .i64(memory.inode())
        .i64(memory.sizeBytes())
        .frame(WireBounds.REPLY_BYTES);
  }

  /** The words that {@code message} is; {@link io.tombolo.base.errors.CorruptException} if none. */
  public static Welcome decode(ByteBuffer message) {
    FieldReader in = new FieldReader(message);
    String hostId = in.text(HOST_ID_BYTES);
    MemoryFileName memory = new MemoryFileName(in.natural(), in.i32(), in.natural(), in.natural());
    in.end();
    return new Welcome(hostId, memory);
  }
}
