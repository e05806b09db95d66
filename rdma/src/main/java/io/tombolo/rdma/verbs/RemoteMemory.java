// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.UsageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a reader has to know of an {@link Exposure}: 32 bytes, little-endian. It opens the exposed
 * bytes for reading, for as long as they are exposed, to all who have a {@link ReaderEnd} there.
 *
 * <pre>
 *  0  u64  address      8  i64  bytes, at least 1
 * 16  u32  remote key  20  u32  which generation cell      24  u64  what that holds meanwhile
 * </pre>
 *
 * @param what names it in errors, such as {@code 'w' of version 8 of 'policy'}; not sent
 * @param address by which the holder's NIC knows its first byte; no pointer of this process
 * @param sizeBytes how many bytes it has
 * @param key what reads of it must show
 * @param cell the holder's generation cell for it
 * @param generation what that cell holds until it is withdrawn
 */
public record RemoteMemory(
    String what, long address, long sizeBytes, int key, int cell, long generation) {
  /** What {@link #encode} makes. */
  public static final int SIZE_BYTES = 32;

  /** What a peer has to be sent. */
  public byte[] encode() {
    return ByteBuffer.allocate(SIZE_BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(address)
        .putLong(sizeBytes)
        .putInt(key)
        .putInt(cell)
        .putLong(generation)
        .array();
  }

  /**
   * What a peer has sent of {@code what}. What is wrong beyond that the peer's NIC refuses.
   *
   * @throws CorruptException if {@code bytes} can be nobody's
   */
  public static RemoteMemory decode(String what, byte[] bytes) {
    if (bytes.length != SIZE_BYTES) {
      throw new CorruptException(
          "%s is exposed in %s bytes, and not in %s".formatted(what, SIZE_BYTES, bytes.length));
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    RemoteMemory memory =
        new RemoteMemory(what, in.getLong(), in.getLong(), in.getInt(), in.getInt(), in.getLong());
    long last = memory.address + memory.sizeBytes - 1;
    if (memory.sizeBytes < 1
        || Long.compareUnsigned(last, memory.address) < 0
        || memory.cell < 0
        || memory.cell >= GenerationCells.COUNT) {
      throw new CorruptException("nobody exposes " + memory);
    }
    return memory;
  }

  /** How reads name {@code bytes} from {@code offset} on; {@link UsageException} if not inside. */
  long address(long offset, long bytes) {
    checkInside(what, sizeBytes, offset, bytes);
    return address + offset;
  }

  static void checkInside(String what, long sizeBytes, long offset, long bytes) {
    if (offset < 0 || bytes < 0 || offset > sizeBytes - bytes) {
      throw new UsageException(
          "[%s, +%s) is outside %s, which has %s bytes".formatted(offset, bytes, what, sizeBytes));
    }
  }
}
