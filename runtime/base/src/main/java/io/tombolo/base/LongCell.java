// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A 64-bit word of off-heap memory that threads, processes and device streams use to signal each
 * other.
 *
 * <p>Thread-safe. Valid as long as the {@link NativeMemory} it came from is open.
 */
public final class LongCell {
  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final ByteBuffer bytes;
  private final long address;

  LongCell(ByteBuffer bytes, long address) {
    this.bytes = bytes;
    this.address = address;
  }

  /** The word's host address, for native code and device runtimes. */
  public long address() {
    return address;
  }

  /** Reads the word; later reads and writes of this thread stay after it. */
  public long getAcquire() {
    return (long) LONG.getAcquire(bytes, 0);
  }

  /** Writes the word; earlier reads and writes of this thread stay before it. */
  public void setRelease(long value) {
    LONG.setRelease(bytes, 0, value);
  }

  /**
   * Writes the word as {@link #setRelease} does, unless it holds as much or more: several threads
   * may write, and it only grows.
   */
  public void raiseRelease(long value) {
    long found = getAcquire();
    while (found < value && !LONG.weakCompareAndSetRelease(bytes, 0, found, value)) {
      found = getAcquire();
    }
  }

  /** Reads the word in the single total order of volatile accesses. */
  public long getVolatile() {
    return (long) LONG.getVolatile(bytes, 0);
  }

  /** Writes the word in the single total order of volatile accesses. */
  public void setVolatile(long value) {
    LONG.setVolatile(bytes, 0, value);
  }
}
