// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.errors.UsageException;

/**
 * Memory of this process that one-sided reads may be made into, until it is closed; that is between
 * reads. Thread-safe.
 */
public final class ReadTarget implements AutoCloseable {
  private final Registration registration;

  ReadTarget(Registration registration) {
    this.registration = registration;
  }

  /** How requests name {@code bytes} from {@code offset} on. */
  long address(long offset, long bytes) {
    RemoteMemory.checkInside(
        "the memory to read into", registration.region().sizeBytes(), offset, bytes);
    if (registration.isFreed()) {
      throw new UsageException(
          "the memory to read into was freed; keep it until what was registered of it is closed");
    }
    return registration.address(offset);
  }

  int localKey() {
    return registration.region().localKey();
  }

  @Override
  public synchronized void close() {
    registration.close();
  }
}
