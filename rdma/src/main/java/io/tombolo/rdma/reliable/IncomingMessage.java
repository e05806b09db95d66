// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.LocalMemory;

/** A message a user waits for; pooled. */
final class IncomingMessage {
  long tag;
  LocalMemory memory;
  long offset;
  long sizeBytes;

  /** Chunks not yet in {@link #memory}. */
  long openChunks;

  void set(long newTag, LocalMemory newMemory, long newOffset, long newSizeBytes, long chunks) {
    tag = newTag;
    memory = newMemory;
    offset = newOffset;
    sizeBytes = newSizeBytes;
    openChunks = chunks;
  }
}
