// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.LocalMemory;

/** The copies between slots and user memory that are under way, one per slot. */
final class SlotCopies {
  /**
   * What one round may copy in one direction before it publishes it: about 50 µs of work. The peer
   * has the first slot to work on while the next is filled, and whoever drives the fabrics comes
   * round again soon. A payload that is lent is copied in one, even if it is more.
   */
  static final long MAX_COPIED_BYTES = 256 << 10;

  private final LocalMemory[] memory;
  private final long[] ticket;
  private final int[] payloadBytes;
  private final boolean[] endsMessage;
  private long copiedBytes;
  private long engineBytes;

  SlotCopies(int slots) {
    memory = new LocalMemory[slots];
    ticket = new long[slots];
    payloadBytes = new int[slots];
    endsMessage = new boolean[slots];
  }

  /** Notes who copies {@code bytes} between {@code owner} and the payload of a slot. */
  void count(LocalMemory owner, long payload, int bytes) {
    if (owner.hasEngineFor(payload, bytes)) {
      engineBytes += bytes;
    } else {
      copiedBytes += bytes;
    }
  }

  /** Notes that a processor copies {@code bytes} to their place, past the ring. */
  void countByProcessor(int bytes) {
    copiedBytes += bytes;
  }

  /** Bytes that a processor copied. */
  long copiedBytes() {
    return copiedBytes;
  }

  /** Bytes that engines of the memory's own copied. */
  long engineBytes() {
    return engineBytes;
  }

  void start(int slot, LocalMemory owner, long copyTicket, int bytes, boolean isLast) {
    memory[slot] = owner;
    ticket[slot] = copyTicket;
    payloadBytes[slot] = bytes;
    endsMessage[slot] = isLast;
  }

  boolean isDone(int slot) {
    if (ticket[slot] != LocalMemory.DONE && memory[slot].isDone(ticket[slot])) {
      ticket[slot] = LocalMemory.DONE;
    }
    return ticket[slot] == LocalMemory.DONE;
  }

  boolean isQuiet() {
    for (int slot = 0; slot < ticket.length; slot++) {
      if (!isDone(slot)) {
        return false;
      }
    }
    return true;
  }

  int payloadBytes(int slot) {
    return payloadBytes[slot];
  }

  boolean endsMessage(int slot) {
    return endsMessage[slot];
  }
}
