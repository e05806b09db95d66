// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import io.tombolo.rdma.staged.SlotHeader;
import java.nio.ByteBuffer;

/**
 * The header of an active message: 64 bytes, little-endian.
 *
 * <pre>
 *  0       the slot's own header, up to byte 44
 * 44  u32  kind: 1 a slot, 2 room for more slots; that has nothing but key and room
 * 48  u64  key of the channel, which its receiver made
 * 56  u64  the sequence below which the sender of this message takes slots
 * </pre>
 *
 * <p>Anyone who can reach a process's UCX can send it such messages. The key, secret to both ends,
 * keeps out who has not proved the job token.
 */
final class UcxHeader {
  static final int SIZE_BYTES = SlotHeader.SIZE_BYTES;
  static final int SLOT = 1;
  static final int ROOM = 2;

  private static final int KIND = 44;
  private static final int KEY = 48;
  private static final int LIMIT = 56;

  private UcxHeader() {}

  /** Completes the header at the start of {@code bytes}. */
  static void write(ByteBuffer bytes, int kind, long key, long limit) {
    bytes.putInt(KIND, kind);
    bytes.putLong(KEY, key);
    bytes.putLong(LIMIT, limit);
  }

  static int kind(ByteBuffer bytes) {
    return bytes.getInt(KIND);
  }

  static long key(ByteBuffer bytes) {
    return bytes.getLong(KEY);
  }

  static long limit(ByteBuffer bytes) {
    return bytes.getLong(LIMIT);
  }
}
