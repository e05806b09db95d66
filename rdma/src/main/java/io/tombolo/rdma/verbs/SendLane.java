// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.errors.FabricException;

/**
 * The send queue of one queue pair: requests gathered into batches, and the packet slots of those
 * posted. The last request of a batch asks for a completion, and others where they have to.
 */
final class SendLane implements AutoCloseable {
  /** Requests are called from here on, so that they are told from receives. */
  static final long FIRST_ID = 1L << Integer.SIZE;

  private static final int BATCH = 32;

  private final QueuePair pair;
  private final SendRequests requests = new SendRequests(BATCH);
  private final PostedSlots slots;
  private boolean broken;
  private boolean aborted;

  /**
   * The lane of {@code pair}, whose send queue takes as many requests as {@code slots} has room.
   */
  SendLane(QueuePair pair, PostedSlots slots) {
    this.pair = pair;
    this.slots = slots;
  }

  QueuePair pair() {
    return pair;
  }

  boolean hasRoom() {
    return !broken && slots.hasRoom();
  }

  /** Whether nothing of it is with the NIC. */
  boolean isIdle() {
    return slots.isEmpty();
  }

  /**
   * Begins the request that sends what {@code slot} stands for; the caller adds where to. What a
   * processor can read ({@code readable}) goes into the request itself, if it is small.
   */
  SendRequests add(
      int opcode, int slot, long address, int sizeBytes, int localKey, boolean readable) {
    if (requests.isFull()) {
      flush();
    }
    int inline = readable && sizeBytes <= pair.inlineBytes() ? SendRequests.INLINE : 0;
    return requests
        .add(opcode, FIRST_ID + slots.add(slot), address, sizeBytes, localKey)
        .with(inline | slots.flags());
  }

  /** Posts what was gathered, in one call. */
  void flush() {
    if (requests.count() > 0 && !broken) {
      requests.with(SendRequests.SIGNALLED); // the one begun last
      pair.post(requests);
    }
  }

  /** The request called {@code request} has completed. */
  void onCompleted(long request, PostedSlots.Freed freed) {
    long number = request - FIRST_ID;
    if (!slots.complete(number, freed)) {
      throw new FabricException("queue pair " + pair.number() + " completed a stranger", number);
    }
  }

  /** Takes no more; what was posted may still complete. */
  void breakDown() {
    broken = true;
    requests.clear();
  }

  /** Posts what was gathered, and stops the NIC: it reads nothing of this lane any more. */
  void abort() {
    if (aborted) {
      return;
    }
    try {
      flush();
    } finally {
      pair.abort();
      aborted = true;
    }
  }

  /**
   * Ends for good: the queue pair, which was aborted, rests. If the NIC has not said that it is
   * done, the pair is reset, after which the NIC reads none of its slots: destroying it would free
   * its number, too.
   */
  void close(PostedSlots.Freed freed, RestingPairs resting) {
    breakDown();
    if (!isIdle()) {
      pair.reset();
      slots.free(freed);
    }
    requests.close();
    resting.add(pair);
  }

  /** Destroys the queue pair, after which the NIC reads none of its slots. */
  void close(PostedSlots.Freed freed) {
    breakDown();
    pair.close();
    slots.free(freed);
    requests.close();
  }

  @Override
  public void close() {
    close(slot -> {});
  }
}
