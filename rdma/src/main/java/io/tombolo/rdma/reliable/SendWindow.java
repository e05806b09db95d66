// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import java.util.Arrays;

/**
 * What was sent and is not yet known to have arrived: a ring of chunks by psn, with the chunks in
 * flight in the order of their latest transmission.
 *
 * <pre>
 *            transmit            acknowledge
 *   (new) ------------> IN_FLIGHT ---------> ACKED --> leaves when all before it have
 *                         |   ^                ^
 *                markLost |   | transmit       | acknowledge
 *                         v   |                |
 *                         LOST ----------------+
 * </pre>
 *
 * <p>Never drops unacknowledged state: a full window refuses new chunks.
 */
class SendWindow {
  private static final byte IN_FLIGHT = 1;
  private static final byte LOST = 2;
  private static final byte ACKED = 3;

  /** What a window starts from, and shrinks back to when it rests: an idle peer is cheap. */
  private static final int RESTING_CAPACITY = 64;

  private final int maxCapacity;
  private int mask;
  private byte[] states;
  private int[] transmissions;
  private long[] sentNs;
  private long[] firstSentNs;
  private long[] transmissionIds;
  private long[] pausedNs;
  private long[] psns;
  private OutgoingSegment[] segments;
  private ChunkList inFlight;
  private ChunkList lost;
  private long oldest;
  private long next;
  private long nextTransmissionId;
  private long pausedTotalNs;

  SendWindow(int capacity, long firstPsn) {
    maxCapacity = capacity;
    oldest = firstPsn;
    next = firstPsn;
    allocate(Math.min(capacity, RESTING_CAPACITY));
  }

  private void allocate(int capacity) {
    mask = capacity - 1;
    states = new byte[capacity];
    transmissions = new int[capacity];
    sentNs = new long[capacity];
    firstSentNs = new long[capacity];
    transmissionIds = new long[capacity];
    pausedNs = new long[capacity];
    psns = new long[capacity];
    Arrays.fill(psns, -1);
    segments = new OutgoingSegment[capacity];
    inFlight = new ChunkList(capacity);
    lost = new ChunkList(capacity);
  }

  /** Twice the room; what is known stays known, in the same order. */
  private void grow() {
    SendWindow former = new SendWindow(this);
    allocate(2 * states.length);
    for (long psn = oldest; psn < next; psn++) {
      take(former, psn);
    }
    for (int s = former.inFlight.head(); s != ChunkList.NONE; s = former.inFlight.after(s)) {
      inFlight.append(slot(former.psns[s]));
    }
    for (int s = former.lost.head(); s != ChunkList.NONE; s = former.lost.after(s)) {
      lost.append(slot(former.psns[s]));
    }
  }

  /** What {@code other} holds, in the same arrays. */
  private SendWindow(SendWindow other) {
    maxCapacity = other.maxCapacity;
    mask = other.mask;
    states = other.states;
    transmissions = other.transmissions;
    sentNs = other.sentNs;
    firstSentNs = other.firstSentNs;
    transmissionIds = other.transmissionIds;
    pausedNs = other.pausedNs;
    psns = other.psns;
    segments = other.segments;
    inFlight = other.inFlight;
    lost = other.lost;
  }

  private void take(SendWindow former, long psn) {
    int from = former.slot(psn);
    int to = slot(psn);
    states[to] = former.states[from];
    transmissions[to] = former.transmissions[from];
    sentNs[to] = former.sentNs[from];
    firstSentNs[to] = former.firstSentNs[from];
    transmissionIds[to] = former.transmissionIds[from];
    pausedNs[to] = former.pausedNs[from];
    psns[to] = psn;
    segments[to] = former.segments[from];
  }

  /** Gives back what only a busy window needs; an empty one forgets what it has seen. */
  void rest() {
    if (isEmpty() && states.length > RESTING_CAPACITY) {
      allocate(RESTING_CAPACITY);
    }
  }

  /** The oldest psn not acknowledged. */
  long oldest() {
    return oldest;
  }

  /** The psn the next new chunk gets. */
  long next() {
    return next;
  }

  boolean isEmpty() {
    return oldest == next;
  }

  /** Whether a new chunk would stretch the window beyond {@code spanChunks} or its capacity. */
  boolean isFull(long spanChunks) {
    return next - oldest >= Math.min(spanChunks, maxCapacity);
  }

  /** Gives the next psn to a chunk of {@code segment}, which has just been transmitted. */
  long append(OutgoingSegment segment, long nowNs) {
    if (next - oldest >= maxCapacity) {
      throw new IllegalStateException("the send window is full");
    }
    if (next - oldest >= states.length) {
      grow();
    }
    int slot = slot(next);
    psns[slot] = next;
    segments[slot] = segment;
    transmissions[slot] = 0;
    firstSentNs[slot] = nowNs;
    states[slot] = LOST;
    lost.append(slot);
    return transmitted(next++, nowNs);
  }

  /** Notes that {@code psn} has been transmitted (again). */
  long transmitted(long psn, long nowNs) {
    int slot = slot(psn);
    listOf(slot).remove(slot);
    inFlight.append(slot);
    states[slot] = IN_FLIGHT;
    transmissions[slot]++;
    sentNs[slot] = nowNs;
    transmissionIds[slot] = nextTransmissionId++;
    pausedNs[slot] = pausedTotalNs;
    return psn;
  }

  /** Notes that {@code psn} has arrived; whether that is news. */
  boolean acknowledge(long psn) {
    if (!isOpen(psn)) {
      return false;
    }
    int slot = slot(psn);
    listOf(slot).remove(slot);
    states[slot] = ACKED;
    while (oldest < next && states[slot(oldest)] == ACKED) {
      oldest++;
    }
    return true;
  }

  /** Moves {@code psn} from the chunks in flight to those to be sent again. */
  void markLost(long psn) {
    int slot = slot(psn);
    inFlight.remove(slot);
    lost.append(slot);
    states[slot] = LOST;
  }

  /** Whether {@code psn} has been sent and not acknowledged. */
  boolean isOpen(long psn) {
    return psn >= oldest && psn < next && states[slot(psn)] != ACKED;
  }

  /** Whether {@code psn} has been sent and counts neither as arrived nor as lost. */
  boolean isInFlight(long psn) {
    return psn >= oldest && psn < next && states[slot(psn)] == IN_FLIGHT;
  }

  /** Whether the history still knows {@code psn}, acknowledged or not. */
  boolean remembers(long psn) {
    return psn >= 0 && psns[slot(psn)] == psn;
  }

  int inFlightChunks() {
    return inFlight.size();
  }

  /** The chunk lost longest ago, or −1. */
  long firstLost() {
    return psnAt(lost.head());
  }

  /** The chunk lost next after {@code psn} of those lost, or −1. */
  long nextLost(long psn) {
    return psnAt(lost.after(slot(psn)));
  }

  /** The chunk whose latest transmission is the oldest of those in flight, or −1. */
  long firstInFlight() {
    return psnAt(inFlight.head());
  }

  /** The chunk transmitted next after {@code psn} of those in flight, or −1. */
  long nextInFlight(long psn) {
    return psnAt(inFlight.after(slot(psn)));
  }

  /** The chunk transmitted last of those in flight, or −1. */
  long lastInFlight() {
    return psnAt(inFlight.tail());
  }

  int transmissions(long psn) {
    return transmissions[slot(psn)];
  }

  long sentNs(long psn) {
    return sentNs[slot(psn)];
  }

  /** When {@code psn} was transmitted for the first time. */
  long firstSentNs(long psn) {
    return firstSentNs[slot(psn)];
  }

  /** The place of {@code psn}'s latest transmission in the order of all. */
  long transmissionId(long psn) {
    return transmissionIds[slot(psn)];
  }

  /** This process has not run for {@code pauseNs}. */
  void onPause(long pauseNs) {
    pausedTotalNs += pauseNs;
  }

  /** How long this process has not run since {@code psn}'s latest transmission. */
  long pausedSinceNs(long psn) {
    return pausedTotalNs - pausedNs[slot(psn)];
  }

  OutgoingSegment segment(long psn) {
    return segments[slot(psn)];
  }

  private ChunkList listOf(int slot) {
    return states[slot] == IN_FLIGHT ? inFlight : lost;
  }

  private long psnAt(int slot) {
    return slot == ChunkList.NONE ? -1 : psns[slot];
  }

  private int slot(long psn) {
    return (int) psn & mask;
  }
}
