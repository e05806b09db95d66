// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

/**
 * Room for tensors, which its caller fills, row-major, and commits: all are visible then, at once.
 * Nobody may write there after {@link #commit} or {@link #close}. For one thread at a time.
 */
public interface PlacedPut extends AutoCloseable {
  /** The host address where the tensor called {@code name} belongs. */
  long address(String name);

  /**
   * Says that the bytes of the tensor called {@code name} have the CRC-32C {@code checksum}, so
   * that {@link #commit} does not read them: its device may have computed it, where the bytes come
   * from. Nobody compares the two before a reader does; what differs is corrupt to it.
   */
  void setChecksum(String name, int checksum);

  /**
   * Computes the checksums that it was not told, and makes what was copied visible; the version of
   * the state dict, or 0 if there is none.
   */
  long commit();

  /** Gives the room back, unless it was committed; harmless then, and the second time. */
  @Override
  void close();
}
