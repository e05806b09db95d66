// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/** Memory that the NIC may read and write by itself. */
final class MemoryRegion implements AutoCloseable {
  private final Handle handle;
  private final long remoteAddress;
  private final long sizeBytes;
  private final int localKey;
  private final int remoteKey;

  MemoryRegion(Handle handle, long remoteAddress, long sizeBytes) {
    this.handle = handle;
    this.remoteAddress = remoteAddress;
    this.sizeBytes = sizeBytes;
    long keys = VerbsNative.keys0(handle.get());
    localKey = (int) (keys >>> Integer.SIZE);
    remoteKey = (int) keys;
  }

  /** The address by which requests, ours and peers', name its first byte. */
  long remoteAddress() {
    return remoteAddress;
  }

  long sizeBytes() {
    return sizeBytes;
  }

  /** What our own requests show. */
  int localKey() {
    return localKey;
  }

  /** What peers' requests show. */
  int remoteKey() {
    return remoteKey;
  }

  long handle() {
    return handle.get();
  }

  @Override
  public void close() {
    handle.close();
  }
}
