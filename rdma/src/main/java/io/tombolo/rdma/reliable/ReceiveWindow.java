// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/** Which psns have arrived: a ring of bits above the next expected one. */
class ReceiveWindow {
  /** What an arrival is. */
  enum Verdict {
    /** Not seen before. */
    NEW,
    /** Seen before. */
    DUPLICATE,
    /** Beyond what the sender may send: hostile or corrupt. */
    OUTSIDE
  }

  private final long[] words;
  private final int capacity;
  private long next;
  private long end;

  ReceiveWindow(int capacity, long firstPsn) {
    this.capacity = capacity;
    words = new long[Math.max(1, capacity / Long.SIZE)];
    next = firstPsn;
    end = firstPsn;
  }

  Verdict classify(long psn) {
    if (psn >= next + capacity) {
      return Verdict.OUTSIDE;
    }
    return contains(psn) ? Verdict.DUPLICATE : Verdict.NEW;
  }

  /** Takes {@code psn}, which must be new, and passes every psn of the run it completes. */
  void accept(long psn) {
    words[word(psn)] |= 1L << psn;
    end = Math.max(end, psn + 1);
    advance();
  }

  /** Moves on over all that has arrived in order. */
  void advance() {
    while (next < end && bit(next)) {
      pass();
    }
  }

  /** Moves on by one, freeing the bit. */
  final void pass() {
    words[word(next)] &= ~(1L << next);
    next++;
  }

  final boolean isNextHere() {
    return next < end && bit(next);
  }

  /** Whether {@code psn} has arrived. */
  boolean contains(long psn) {
    return psn < next || (psn < end && bit(psn));
  }

  /** The cumulative psn: the first that has not arrived. */
  long next() {
    return next;
  }

  /** One above the highest psn that has arrived. */
  long end() {
    return end;
  }

  private boolean bit(long psn) {
    return (words[word(psn)] >>> psn & 1) != 0;
  }

  private int word(long psn) {
    return (int) (psn >>> 6) & (words.length - 1);
  }
}
