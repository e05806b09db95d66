// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.UnsupportedException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A runtime's IPC handle with what the runtime's own lacks: whose it is and how much it opens.
 * Little-endian: magic, size, length of the name, name, handle.
 *
 * @param runtime the runtime's name; no other can open the handle
 * @param sizeBytes bytes in the block
 * @param handle the runtime's handle
 */
@SuppressWarnings("ArrayRecordComponent") // a carrier, never compared
record IpcTicket(String runtime, long sizeBytes, byte[] handle) {
  private static final int MAGIC = 0x4350_4954; // "TIPC"
  private static final int HANDLE_BYTES = 64;

  byte[] encoded() {
    byte[] name = runtime.getBytes(UTF_8);
    return ByteBuffer.allocate(2 * Integer.BYTES + Long.BYTES + name.length + handle.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(MAGIC)
        .putLong(sizeBytes)
        .putInt(name.length)
        .put(name)
        .put(handle)
        .array();
  }

  /** The ticket in {@code bytes}; a {@link CorruptException} if it is none. */
  static IpcTicket decode(byte[] bytes) {
    ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    try {
      int magic = from.getInt();
      long sizeBytes = from.getLong();
      int nameBytes = from.getInt();
      if (magic != MAGIC
          || sizeBytes <= 0
          || nameBytes != from.remaining() - HANDLE_BYTES
          || nameBytes < 0) {
        throw corrupt(bytes);
      }
      byte[] name = new byte[nameBytes];
      byte[] handle = new byte[HANDLE_BYTES];
      from.get(name).get(handle);
      return new IpcTicket(new String(name, UTF_8), sizeBytes, handle);
    } catch (BufferUnderflowException e) {
      throw corrupt(bytes);
    }
  }

  /** Refuses handles of another runtime. */
  void ensureFrom(String opener) {
    if (!runtime.equals(opener)) {
      throw new UnsupportedException(
          "an IPC handle of the "
              + runtime
              + " cannot be opened by the "
              + opener
              + "; between vendors memory is shared through a pinned host segment");
    }
  }

  private static CorruptException corrupt(byte[] bytes) {
    return new CorruptException(
        "these " + bytes.length + " bytes are no IPC handle of a device runtime");
  }
}
