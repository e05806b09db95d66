// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.errors.CorruptException;

/**
 * The clear-to-sends a sender has received: a ring by number. Repeats are recognised, each is
 * answered, and none replaces a segment still in use.
 */
final class GrantInbox {
  private final Wire wire;
  private final OutgoingSegment[] segments;
  private long oldest;
  private long next;
  private long current;
  private boolean answerDue;
  private long echoNumber;
  private int echoAttempt;

  GrantInbox(Wire wire) {
    this.wire = wire;
    segments = new OutgoingSegment[Integer.highestOneBit(2 * wire.config.queueDepth() - 1)];
    for (int i = 0; i < segments.length; i++) {
      segments[i] = new OutgoingSegment();
    }
  }

  /** Takes a grant as the wire has it; numbers are the lowest 32 bits. */
  void onGrant(Grant raw, int attempt, long psnReference) {
    long number = wire.psns.unwrap(oldest, (int) raw.number, PsnSpace.PACKET_BITS);
    if (number >= oldest + segments.length || raw.sizeBytes > wire.config.segmentBytes()) {
      wire.counters.refused++;
      return;
    }
    answerDue = true;
    echoNumber = number;
    echoAttempt = attempt;
    if (number >= oldest && !at(number).granted) {
      take(number, raw, psnReference);
    }
  }

  private void take(long number, Grant raw, long psnReference) {
    OutgoingSegment segment = at(number);
    segment.grant.set(raw);
    segment.grant.number = number;
    segment.grant.firstPsn =
        wire.psns.unwrap(psnReference, (int) raw.firstPsn, PsnSpace.PACKET_BITS);
    segment.granted = true;
    segment.message = null;
    while (next < oldest + segments.length && at(next).granted) {
      next++;
    }
  }

  boolean isAnswerDue() {
    return answerDue;
  }

  /** Answers what has come, if anything; an answer that found no room is tried again. */
  int answer() {
    if (!answerDue) {
      return 0;
    }
    long seen = 0;
    for (long number = next; number < oldest + segments.length; number++) {
      seen |= at(number).granted ? 1L << (number - next) : 0;
    }
    answerDue =
        !wire.sender.sendControl(
            PacketCodec.grantAck(wire.buffer(), wire.id, next, seen, echoNumber, echoAttempt));
    return answerDue ? 0 : 1;
  }

  /** The first that is lacking. */
  long next() {
    return next;
  }

  /** The segment to send from, or null while there is no clear-to-send. */
  OutgoingSegment current() {
    return current < next ? at(current) : null;
  }

  /** Binds the current segment to the part of {@code message} it must be for. */
  void attach(OutgoingMessage message, long messageOffset, long firstPsn) {
    OutgoingSegment segment = at(current);
    Grant grant = segment.grant;
    if (grant.tag != message.tag
        || grant.messageBytes != message.sizeBytes
        || grant.messageOffset != messageOffset
        || grant.firstPsn != firstPsn) {
      throw new CorruptException(
          "rank %s, flow %s: our send (tag %s, %s bytes, at byte %s, psn %s) met a receive (tag %s, %s bytes, at byte %s, psn %s); sends and receives must agree in order, tag and size"
              .formatted(
                  wire.id.peer(),
                  wire.id.flow(),
                  message.tag,
                  message.sizeBytes,
                  messageOffset,
                  firstPsn,
                  grant.tag,
                  grant.messageBytes,
                  grant.messageOffset,
                  grant.firstPsn));
    }
    segment.message = message;
  }

  /** The current segment has been sent. */
  void advance() {
    current++;
  }

  /** Frees the segments whose chunks are all below {@code oldestPsn}. */
  void retire(long oldestPsn) {
    while (oldest < current && endPsn(at(oldest)) <= oldestPsn) {
      at(oldest).granted = false;
      oldest++;
    }
  }

  long endPsn(OutgoingSegment segment) {
    return segment.grant.firstPsn + wire.config.chunksOf(segment.grant.sizeBytes);
  }

  private OutgoingSegment at(long number) {
    return segments[(int) number & (segments.length - 1)];
  }
}
