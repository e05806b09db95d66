// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/** A stretch of a message that the receiver has cleared for sending; pooled. */
final class OutgoingSegment {
  boolean granted;
  final Grant grant = new Grant();
  OutgoingMessage message;

  /** Payload bytes of the chunk with {@code psn}. */
  int chunkSizeBytes(long psn, int chunkBytes) {
    return (int) Math.min(chunkBytes, grant.sizeBytes - chunkOffset(psn, chunkBytes));
  }

  /** Where in this segment the chunk with {@code psn} begins. */
  long chunkOffset(long psn, int chunkBytes) {
    return (psn - grant.firstPsn) * chunkBytes;
  }
}
