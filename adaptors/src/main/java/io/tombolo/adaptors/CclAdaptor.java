// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import io.tombolo.base.Capabilities;

/** One vendor's collective library, opened in this process. Thread-safe. */
public interface CclAdaptor extends AutoCloseable {
  /** What the library is declared to do right; nothing else may be called. */
  Capabilities capabilities();

  /** The library's version, in its own words. */
  String version();

  /** A new unique id, made by one member and carried to the others by the caller. */
  byte[] newUniqueId();

  /**
   * Joins a communicator as {@code rank} of {@code size}. Blocks until all members came, which the
   * vendor may wait for without end: call it on a thread that can be left behind.
   */
  CclCommunicator join(byte[] uniqueId, int rank, int size);

  /**
   * Allocates memory of the library's own, which members can {@linkplain CclCommunicator#register
   * register}; contents are zeros or undefined. Closing it, before or after the communicators that
   * know it, gives it back. Only where {@code REGISTERED_BUFFERS} is declared.
   */
  DeviceMemory allocate(long sizeBytes);

  @Override
  void close();
}
