// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.TomboloException;
import java.util.Optional;

/** Copies into a user's memory that a device's engine still works on: a ring in order of start. */
final class PendingCopies {
  private static final int RESTING_CAPACITY = 16;

  private final int maxCapacity;
  private LocalMemory[] memories;
  private IncomingSegment[] segments;
  private long[] tickets;
  private int first;
  private int size;
  private long finished;
  private Optional<TomboloException> lostSight = Optional.empty();

  PendingCopies(int capacity) {
    maxCapacity = capacity;
    allocate(Math.min(capacity, RESTING_CAPACITY));
  }

  private void allocate(int capacity) {
    memories = new LocalMemory[capacity];
    segments = new IncomingSegment[capacity];
    tickets = new long[capacity];
    first = 0;
  }

  private void grow() {
    LocalMemory[] formerMemories = memories;
    IncomingSegment[] formerSegments = segments;
    long[] formerTickets = tickets;
    int formerFirst = first;
    allocate(Math.min(maxCapacity, 2 * tickets.length));
    for (int i = 0; i < size; i++) {
      int from = (formerFirst + i) % formerTickets.length;
      memories[i] = formerMemories[from];
      segments[i] = formerSegments[from];
      tickets[i] = formerTickets[from];
    }
  }

  boolean isFull() {
    return size == maxCapacity;
  }

  int size() {
    return size;
  }

  /** Copies taken out so far, in order of start. */
  long finished() {
    return finished;
  }

  void add(LocalMemory memory, long ticket, IncomingSegment segment) {
    if (size == tickets.length) {
      grow();
    }
    int at = (first + size++) % tickets.length;
    memories[at] = memory;
    tickets[at] = ticket;
    segments[at] = segment;
  }

  /**
   * Why nobody can tell any more whether the oldest copy has finished, as a device does not say:
   * that copy and the later ones stay for good.
   */
  Optional<TomboloException> lostSight() {
    return lostSight;
  }

  private boolean isFirstDone() {
    try {
      return memories[first].isDone(tickets[first]);
    } catch (TomboloException e) {
      lostSight = Optional.of(e);
      return false;
    }
  }

  /** The segment of the oldest copy, if that has finished, or null. */
  IncomingSegment takeDone() {
    if (size == 0 || lostSight.isPresent() || !isFirstDone()) {
      return null;
    }
    IncomingSegment segment = segments[first];
    memories[first] = null;
    segments[first] = null;
    first = (first + 1) % tickets.length;
    size--;
    finished++;
    return segment;
  }
}
