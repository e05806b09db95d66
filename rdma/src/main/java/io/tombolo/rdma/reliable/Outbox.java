// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.LocalMemory;
import io.tombolo.rdma.Channel;

/** The messages a user has handed over to be sent, until their memory goes back: a ring. */
final class Outbox {
  private final ProtocolConfig config;
  private final ProtocolParts parts;
  private final OutgoingMessage[] messages;
  private long first;
  private long cut;
  private long next;
  private long cutOffset;
  private long segments;

  Outbox(ProtocolConfig config, ProtocolParts parts) {
    this.config = config;
    this.parts = parts;
    messages = new OutgoingMessage[config.queueDepth()];
    for (int i = 0; i < messages.length; i++) {
      messages[i] = new OutgoingMessage();
    }
  }

  boolean isFull() {
    return next - first == messages.length;
  }

  boolean isEmpty() {
    return next == first;
  }

  void add(long tag, LocalMemory memory, long offset, long sizeBytes) {
    segments += Math.max(1, (sizeBytes + config.segmentBytes() - 1) / config.segmentBytes());
    at(next).set(next++, tag, memory, offset, sizeBytes, config.chunksOf(sizeBytes));
  }

  /** Segments of all messages since the beginning. */
  long segments() {
    return segments;
  }

  /** The message to cut the next segment from, or null. */
  OutgoingMessage current() {
    return cut < next ? at(cut) : null;
  }

  /** Where in the current message the next segment begins. */
  long currentOffset() {
    return cutOffset;
  }

  /** A segment of {@code sizeBytes} has been cut off. */
  void advance(long sizeBytes) {
    cutOffset += sizeBytes;
    if (cutOffset >= at(cut).sizeBytes) {
      cut++;
      cutOffset = 0;
    }
  }

  /** Hands back the memory of what is done, in order. */
  int complete(Channel.Completions completions) {
    int completed = 0;
    while (first < next && parts.isReleasable(at(first))) {
      OutgoingMessage message = at(first++);
      message.memory = null; // before its place may be taken again
      completions.onSent(message.tag, message.sizeBytes);
      completed++;
    }
    return completed;
  }

  /** The message that {@code index} names. */
  OutgoingMessage at(long index) {
    return messages[(int) (index % messages.length)];
  }
}
