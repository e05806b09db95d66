// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

/**
 * Checksums of memory by its device, so that its bytes stay there: CRC-32C (RFC 3720, appendix
 * B.4), as of {@link java.util.zip.CRC32C}. Thread-safe; used before its device is closed.
 */
public interface DeviceChecksummer extends AutoCloseable {
  /** Bytes of a result. */
  int RESULT_BYTES = 4;

  /**
   * Queues the checksum of {@code sizeBytes} at {@code address}, any address that the device can
   * read, and its result: one 32-bit number, least significant byte first. Fills memory, so {@link
   * DeviceAdaptor#fillAsync}'s limits hold.
   *
   * @param result an address of the device's own memory, a multiple of {@link #RESULT_BYTES}, for
   *     which no other checksum is under way; not among the bytes
   */
  void checksumAsync(long result, long address, long sizeBytes, Stream stream);

  /** Takes the kernel off the device, which must have finished with it. */
  @Override
  void close();
}
