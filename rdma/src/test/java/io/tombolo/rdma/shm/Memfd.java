// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

/** Files of memory without a name: an emulated HCA takes them for dma-bufs. */
public final class Memfd {
  private Memfd() {}

  /** A descriptor of new memory, which is the caller's to close. */
  public static int create(long sizeBytes) {
    return UnixSystem.check("create a memory file", UnixSystem.createSegment0(sizeBytes));
  }
}
