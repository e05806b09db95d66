// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.memory;

import io.tombolo.base.NativeMemory;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The CRC-32C (RFC 3720, appendix B.4) of a tensor's bytes, taken while they are in a cache. For
 * one thread and one tensor.
 */
public final class Checksum {
  /** Bytes copied before they are looked at again: few enough to stay in a second-level cache. */
  private static final int BLOCK_BYTES = 256 << 10;

  private final CRC32C crc = new CRC32C();

  /** The checksum of no bytes yet. */
  public Checksum() {}

  /** The checksum of {@code sizeBytes} of host memory at {@code address}. */
  public static int of(long address, long sizeBytes) {
    Checksum checksum = new Checksum();
    for (long done = 0; done < sizeBytes; done += BLOCK_BYTES) {
      checksum.add(address + done, (int) Math.min(BLOCK_BYTES, sizeBytes - done));
    }
    return checksum.value();
  }

  /** Copies {@code sizeBytes} between host addresses that do not overlap; their checksum. */
  public static int ofCopy(long destination, long source, long sizeBytes) {
    Checksum checksum = new Checksum();
    for (long done = 0; done < sizeBytes; done += BLOCK_BYTES) {
      int length = (int) Math.min(BLOCK_BYTES, sizeBytes - done);
      NativeMemory.copy(destination + done, source + done, length);
      checksum.add(destination + done, length);
    }
    return checksum.value();
  }

  /** The next bytes are all of {@code bytes}, a direct buffer, which is then empty. */
  public void add(ByteBuffer bytes) {
    crc.update(bytes);
  }

  /** The checksum of all bytes so far. */
  public int value() {
    return (int) crc.getValue();
  }

  private void add(long address, int length) {
    if (length > 0) {
      crc.update(NativeMemory.viewOf(address, length));
    }
  }
}
