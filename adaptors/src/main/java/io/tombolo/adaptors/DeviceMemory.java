// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryKind;

/**
 * A block a device can address. Use after close is an {@link IllegalStateException}, a second close
 * is harmless.
 */
public interface DeviceMemory extends AutoCloseable {
  /**
   * The address as the device sees it; for pinned and managed memory the host sees the same one.
   */
  long address();

  /** Bytes in the block. */
  long sizeBytes();

  /** {@link MemoryKind#DEVICE}, {@link MemoryKind#PINNED} or {@link MemoryKind#MANAGED}. */
  MemoryKind kind();

  /** What fabrics may register of it, from its first byte on, until it is closed. */
  MemoryBlock block();

  /**
   * The address {@code offset} bytes in, after checking that {@code length} bytes from there are
   * inside.
   */
  default long address(long offset, long length) {
    if (offset < 0 || length < 0 || offset > sizeBytes() - length) {
      throw new IndexOutOfBoundsException(
          "[" + offset + ", +" + length + ") is outside a block of " + sizeBytes() + " bytes");
    }
    return address() + offset;
  }

  @Override
  void close();
}
