// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import java.util.function.IntConsumer;

/**
 * The clear-to-sends a receiver has given, until their segments have arrived: a ring by number.
 * Each is repeated until the peer answers it or sends what it allows: with back-off, or within a
 * round trip and a quarter once one that was sent later has been answered.
 */
class GrantOutbox {
  private final Wire wire;
  private final IncomingSegment[] segments;
  private final SackCodec.Arrivals onAnswered = this::onAnswered;
  private long first;
  private long next;
  private long nextPsn;
  private long deadlineNs = Moment.NEVER;
  private long answeredSentNs = Moment.NOW;
  private long needed;

  GrantOutbox(Wire wire) {
    this.wire = wire;
    nextPsn = wire.config.firstPsn();
    segments = new IncomingSegment[Integer.highestOneBit(2 * wire.config.queueDepth() - 1)];
    for (int i = 0; i < segments.length; i++) {
      segments[i] = new IncomingSegment();
    }
  }

  boolean isFull() {
    return next - first == segments.length;
  }

  /** A segment to fill in and then to {@link #give}. */
  IncomingSegment blank() {
    return at(next);
  }

  /** The peer has messages for those below {@code rawNeeded}; no later word takes that back. */
  void onRequest(int rawNeeded) {
    long asked = wire.psns.unwrap(next, rawNeeded, PsnSpace.PACKET_BITS);
    if (asked > next + GrantRequest.MOST) {
      wire.counters.refused++;
      return;
    }
    needed = Math.max(needed, asked);
  }

  /** Whether the peer has a message for the next one. */
  boolean isAsked() {
    return next < needed;
  }

  /** Numbers the blank segment and sends it. */
  void give(long nowNs) {
    IncomingSegment segment = at(next);
    segment.grant.number = next++;
    segment.grant.firstPsn = nextPsn;
    segment.chunks = wire.config.chunksOf(segment.grant.sizeBytes);
    segment.missingChunks = segment.chunks;
    segment.openCopies = 0;
    segment.finished = false;
    segment.answered = false;
    segment.transmissions = 0;
    nextPsn += segment.chunks;
    transmit(segment, nowNs);
  }

  /** Repeats what has waited too long for an answer. */
  int repeat(long nowNs) {
    if (nowNs < deadlineNs) {
      return 0;
    }
    int repeated = 0;
    deadlineNs = Moment.NEVER;
    for (long number = first; number < next; number++) {
      IncomingSegment segment = at(number);
      if (!segment.answered) {
        if (nowNs >= dueNs(segment)) {
          wire.counters.grantsResent += segment.transmissions > 0 ? 1 : 0;
          transmit(segment, nowNs);
          repeated++;
        }
        deadlineNs = Math.min(deadlineNs, dueNs(segment));
      }
    }
    return repeated;
  }

  private void transmit(IncomingSegment segment, long nowNs) {
    if (wire.sender.sendControl(
        PacketCodec.grant(wire.buffer(), wire.id, segment.grant, segment.transmissions))) {
      segment.transmissions++;
    }
    segment.sentNs = nowNs;
    deadlineNs = Math.min(deadlineNs, dueNs(segment));
  }

  private long dueNs(IncomingSegment segment) {
    boolean overtaken = segment.sentNs < answeredSentNs;
    return segment.sentNs + patienceNs(segment.transmissions, overtaken);
  }

  /**
   * How long one waits for its answer; {@code overtaken} if one that was sent later has had its.
   */
  long patienceNs(int transmissions, boolean overtaken) {
    long rtoNs = wire.rtt.rtoNs(transmissions);
    return overtaken ? Math.min(wire.rtt.srttNs() * 5 / 4, rtoNs) : rtoNs;
  }

  long nextWakeNs() {
    return deadlineNs;
  }

  void onGrantAck(int rawNext, long seen, int rawEcho, int echoAttempt, long nowNs) {
    long answeredBelow = wire.psns.unwrap(first, rawNext, PsnSpace.PACKET_BITS);
    long echo = wire.psns.unwrap(first, rawEcho, PsnSpace.PACKET_BITS);
    if (answeredBelow > next) {
      wire.counters.refused++;
      return;
    }
    takeSample(echo, echoAttempt, nowNs);
    for (long number = first; number < answeredBelow; number++) {
      onAnswered(number);
    }
    SackCodec.decode(answeredBelow, seen, onAnswered);
  }

  private void takeSample(long number, int attempt, long nowNs) {
    if (number < first || number >= next) {
      return;
    }
    IncomingSegment segment = at(number);
    if (!segment.answered && attempt == segment.transmissions - 1) {
      wire.rtt.sample(nowNs - segment.sentNs, nowNs);
    }
  }

  private void onAnswered(long number) {
    if (number >= first && number < next && !at(number).answered) {
      at(number).answered = true;
      if (at(number).sentNs > answeredSentNs) {
        answeredSentNs = at(number).sentNs;
        deadlineNs = Moment.NOW; // what was sent before may be due
      }
    }
  }

  /** The segment that holds {@code psn}, or null. */
  IncomingSegment find(long psn) {
    for (long number = first; number < next; number++) {
      if (at(number).holds(psn)) {
        return at(number);
      }
    }
    return null;
  }

  /** Forgets the finished segments at the front. */
  void retire() {
    while (first < next && at(first).finished) {
      first++;
    }
  }

  /** Nothing more arrives: the slots that no copy reads go to {@code slots}. */
  void giveUp(IntConsumer slots) {
    for (long number = first; number < next; number++) {
      IncomingSegment segment = at(number);
      if (segment.openCopies == 0 && segment.slot != SlabPool.NONE) {
        slots.accept(segment.slot);
        segment.slot = SlabPool.NONE;
      }
    }
  }

  /** Chunks advertised and not arrived. */
  boolean isMissingChunks() {
    for (long number = first; number < next; number++) {
      if (at(number).missingChunks > 0) {
        return true;
      }
    }
    return false;
  }

  private IncomingSegment at(long number) {
    return segments[(int) number & (segments.length - 1)];
  }
}
