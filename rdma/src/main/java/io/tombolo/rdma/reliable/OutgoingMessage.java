// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.LocalMemory;

/** A message on its way out; pooled. */
final class OutgoingMessage {
  /** Its place in the order of all; names it to the wire. */
  long index;

  long tag;
  LocalMemory memory;
  long offset;
  long sizeBytes;

  /** Chunks not yet acknowledged, sent or not. */
  long unackedChunks;

  /** Chunks posted to the wire whose local completion has not come. */
  int openPosts;

  void set(
      long newIndex,
      long newTag,
      LocalMemory newMemory,
      long newOffset,
      long newSizeBytes,
      long chunks) {
    index = newIndex;
    tag = newTag;
    memory = newMemory;
    offset = newOffset;
    sizeBytes = newSizeBytes;
    unackedChunks = chunks;
    openPosts = 0;
  }

  /**
   * The rule of release: everything acknowledged <em>and</em> no post can still read the memory.
   */
  boolean isReleasable() {
    return unackedChunks == 0 && openPosts == 0;
  }
}
