// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.LocalMemory;
import io.tombolo.rdma.Channel;

/** The messages a user waits for, until they are complete in their memory: a ring. */
final class Inbox {
  private final ProtocolConfig config;
  private final IncomingMessage[] messages;
  private long first;
  private long cut;
  private long next;
  private long cutOffset;

  Inbox(ProtocolConfig config) {
    this.config = config;
    messages = new IncomingMessage[config.queueDepth()];
    for (int i = 0; i < messages.length; i++) {
      messages[i] = new IncomingMessage();
    }
  }

  boolean isFull() {
    return next - first == messages.length;
  }

  boolean isEmpty() {
    return next == first;
  }

  void add(long tag, LocalMemory memory, long offset, long sizeBytes) {
    at(next++).set(tag, memory, offset, sizeBytes, config.chunksOf(sizeBytes));
  }

  /** Whether part of a message has not been advertised. */
  boolean hasUncut() {
    return cut < next;
  }

  /** Cuts the next segment off. */
  void cut(IncomingSegment segment) {
    IncomingMessage message = at(cut);
    Grant grant = segment.grant;
    segment.message = message;
    grant.tag = message.tag;
    grant.messageBytes = message.sizeBytes;
    grant.messageOffset = cutOffset;
    grant.sizeBytes = Math.min(config.segmentBytes(), message.sizeBytes - cutOffset);
    cutOffset += grant.sizeBytes;
    if (grant.isLastOfMessage()) {
      cut++;
      cutOffset = 0;
    }
  }

  /** Reports what is complete, in order. */
  int complete(Channel.Completions completions) {
    int completed = 0;
    while (first < next && at(first).openChunks == 0) {
      IncomingMessage message = at(first++);
      message.memory = null; // before its place may be taken again
      completions.onReceived(message.tag, message.sizeBytes);
      completed++;
    }
    return completed;
  }

  private IncomingMessage at(long index) {
    return messages[(int) (index % messages.length)];
  }
}
