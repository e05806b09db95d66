// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * A stretch of a message cleared for sending; pooled.
 *
 * <pre>
 *   ADVERTISED --(all chunks arrived)--> COPYING --(copies done)--> FINISHED
 * </pre>
 */
final class IncomingSegment {
  final Grant grant = new Grant();
  IncomingMessage message;
  int chunks;
  int missingChunks;
  int openCopies;
  int slot = SlabPool.NONE;
  boolean finished;

  /** The peer is known to have the clear-to-send. */
  boolean answered;

  int transmissions;
  long sentNs;

  boolean holds(long psn) {
    return psn >= grant.firstPsn && psn < grant.firstPsn + chunks;
  }

  /** Where {@code messageOffset} of the segment's message lies in the user's memory. */
  long memoryOffset(long inSegment) {
    return message.offset + grant.messageOffset + inSegment;
  }
}
