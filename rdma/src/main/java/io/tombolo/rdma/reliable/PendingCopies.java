package io.tombolo.rdma.reliable;

import io.tombolo.base.LocalMemory;

/** Copies into a user's memory that a device's engine still works on: a ring in order of start. */
final class PendingCopies {
  private final LocalMemory[] memories;
  private final IncomingSegment[] segments;
  private final long[] tickets;
  private int first;
  private int size;
  private long finished;

  PendingCopies(int capacity) {
    memories = new LocalMemory[capacity];
    segments = new IncomingSegment[capacity];
    tickets = new long[capacity];
  }

  boolean isFull() {
    return size == tickets.length;
  }

  int size() {
    return size;
  }

  /** Copies taken out so far, in order of start. */
  long finished() {
    return finished;
  }

  void add(LocalMemory memory, long ticket, IncomingSegment segment) {
    int at = (first + size++) % tickets.length;
    memories[at] = memory;
    tickets[at] = ticket;
    segments[at] = segment;
  }

  /** The segment of the oldest copy, if that has finished, or null. */
  IncomingSegment takeDone() {
    if (size == 0 || !memories[first].isDone(tickets[first])) {
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
