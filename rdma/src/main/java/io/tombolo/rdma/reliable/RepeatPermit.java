// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Which chunks may be written again: those whose slot was still theirs half a packet's life ago. A
 * slot comes back only after all that belongs there has arrived, so it was when the chunk was sent
 * for the first time, and when the peer said that the chunk is missing. The other half is for that
 * word's way here and the write's way there.
 *
 * <p>A datagram is placed by software, which drops what is late, and may be repeated at any time.
 */
class RepeatPermit {
  /** How old such news may be. */
  static final long NEWS_NS = SlabPool.PACKET_LIFE_NS / 2;

  private final boolean places;
  private long lookedNs = Moment.NOW;
  private long newsNs = Moment.NOW;
  private boolean heardTooLate;
  private long missing = -1;
  private long from;
  private long end;

  RepeatPermit(ProtocolConfig.Shape shape) {
    places = shape == ProtocolConfig.Shape.PLACES_REMOTELY;
  }

  /** What comes from now on was not there at {@code nowNs}. */
  void onLooked(long nowNs) {
    lookedNs = nowNs;
  }

  /** This process has not run since {@code sinceNs}: so long may have waited what it finds now. */
  void onPause(long sinceNs) {
    lookedNs = Math.min(lookedNs, sinceNs);
  }

  /**
   * The peer says what it has: all below {@code cumulative}, which it lacks, and what {@code words}
   * words from {@code base} on show. Fewer than the most of them reach to the end of what it has.
   */
  void onAck(long cumulative, long base, int words, long nowNs) {
    newsNs = lookedNs;
    heardTooLate = newsNs < nowNs - NEWS_NS;
    missing = cumulative;
    from = base;
    end = words < SackCodec.MAX_WORDS ? Long.MAX_VALUE : base + (long) words * SackCodec.WORD_BITS;
  }

  /** Whether the latest news may have been too old already when this process found it. */
  boolean hasHeardTooLate() {
    return heardTooLate;
  }

  /** Whether {@code psn}, which has not been acknowledged, may be written again. */
  boolean allows(long psn, long firstSentNs, long nowNs) {
    return nowNs <= untilNs(psn, firstSentNs);
  }

  /** Until when it may. Who queues it for later has to look at the clock again. */
  long untilNs(long psn, long firstSentNs) {
    if (!places) {
      return Moment.NEVER;
    }
    return NEWS_NS + (isShown(psn) ? Math.max(firstSentNs, newsNs) : firstSentNs);
  }

  private boolean isShown(long psn) {
    return psn == missing || (psn >= from && psn < end);
  }
}
