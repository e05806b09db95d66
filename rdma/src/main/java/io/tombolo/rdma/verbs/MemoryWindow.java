// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/** A view of part of a region under a key of its own, which every bind replaces. */
final class MemoryWindow implements AutoCloseable {
  private final Handle handle;

  MemoryWindow(Handle handle) {
    this.handle = handle;
  }

  /**
   * Posts a bind on {@code by} to {@code sizeBytes} of {@code region} at {@code address}, for
   * peers' writes.
   *
   * @return the new remote key, which holds once the request {@code id} has completed; the old one
   *     then does not
   */
  int bind(QueuePair by, MemoryRegion region, long address, long sizeBytes, long id) {
    return (int)
        VerbsErrors.check(
            "bind a memory window",
            VerbsNative.bindWindow0(
                by.handle(),
                handle.get(),
                region.handle(),
                address,
                sizeBytes,
                Access.REMOTE_WRITE,
                id));
  }

  @Override
  public void close() {
    handle.close();
  }
}
