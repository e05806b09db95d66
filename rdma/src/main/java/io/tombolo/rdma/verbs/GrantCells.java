// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.NativeMemory;
import java.nio.ByteBuffer;

/**
 * Where payloads of slots belong in the receiver's messages, one cell of 32 bytes a slot,
 * little-endian: the receiver lays it out and writes it into the sender's memory.
 *
 * <pre>
 *  0  u64  sequence of the slot      8  u64  address
 * 16  u32  remote key               20  u32  bytes            24  zeros
 * </pre>
 */
final class GrantCells {
  static final int SIZE_BYTES = 32;

  private final NativeMemory memory;
  private final long offset;
  private final ByteBuffer[] cells;

  /** {@code slots} cells at {@code offset} of {@code memory}. */
  GrantCells(NativeMemory memory, long offset, int slots) {
    this.memory = memory;
    this.offset = offset;
    cells = new ByteBuffer[slots];
    for (int slot = 0; slot < slots; slot++) {
      cells[slot] = memory.view(offset + (long) slot * SIZE_BYTES, SIZE_BYTES);
    }
  }

  /** The host address of a cell. */
  long address(int slot) {
    return memory.address(offset + (long) slot * SIZE_BYTES, SIZE_BYTES);
  }

  void write(int slot, long sequence, long address, int remoteKey, int bytes) {
    cells[slot].putLong(0, sequence).putLong(8, address).putInt(16, remoteKey).putInt(20, bytes);
  }

  long sequence(int slot) {
    return cells[slot].getLong(0);
  }

  long remoteAddress(int slot) {
    return cells[slot].getLong(8);
  }

  int remoteKey(int slot) {
    return cells[slot].getInt(16);
  }

  int bytes(int slot) {
    return cells[slot].getInt(20);
  }
}
