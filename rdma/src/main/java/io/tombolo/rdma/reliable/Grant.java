// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * A clear-to-send: the receiver's promise that one segment of one message has a place to land.
 *
 * <p>Idempotent: repeating it changes nothing. Its number orders grants of a flow; its generation
 * tells apart the lives of a slab slot, each of which has its own remote key.
 */
final class Grant {
  long number;
  long firstPsn;
  int generation;
  int remoteKey;
  long remoteAddress;
  long sizeBytes;
  long messageOffset;
  long messageBytes;
  long tag;

  void set(Grant other) {
    number = other.number;
    firstPsn = other.firstPsn;
    generation = other.generation;
    remoteKey = other.remoteKey;
    remoteAddress = other.remoteAddress;
    sizeBytes = other.sizeBytes;
    messageOffset = other.messageOffset;
    messageBytes = other.messageBytes;
    tag = other.tag;
  }

  boolean isLastOfMessage() {
    return messageOffset + sizeBytes == messageBytes;
  }
}
