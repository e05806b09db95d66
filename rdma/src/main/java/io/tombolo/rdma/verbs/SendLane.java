// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.errors.FabricException;

/**
 * The send queue of one queue pair: requests gathered into batches, and the packet slots of those
 * posted, in order. Only the last request of a batch asks for a completion: it stands for all
 * before it.
 */
final class SendLane implements AutoCloseable {
  /** Told of each slot that the NIC no longer reads. */
  interface Freed {
    void on(int slot);
  }

  /** Requests are called from here on, so that they are told from receives. */
  static final long FIRST_ID = 1L << Integer.SIZE;

  private static final int BATCH = 32;

  private final QueuePair pair;
  private final SendRequests requests = new SendRequests(BATCH);
  private final int[] slots;
  private long posted;
  private long completed;
  private boolean broken;
  private boolean aborted;

  /** The lane of {@code pair}, whose send queue takes {@code depth} requests. */
  SendLane(QueuePair pair, int depth) {
    this.pair = pair;
    this.slots = new int[depth];
  }

  QueuePair pair() {
    return pair;
  }

  boolean hasRoom() {
    return !broken && posted - completed < slots.length;
  }

  /** Whether nothing of it is with the NIC. */
  boolean isIdle() {
    return posted == completed;
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
    slots[(int) (posted % slots.length)] = slot;
    posted++;
    int inline = readable && sizeBytes <= pair.inlineBytes() ? SendRequests.INLINE : 0;
    return requests.add(opcode, FIRST_ID + posted, address, sizeBytes, localKey).with(inline);
  }

  /** Posts what was gathered, in one call. */
  void flush() {
    if (requests.count() > 0 && !broken) {
      requests.with(SendRequests.SIGNALLED); // the one begun last
      pair.post(requests);
    }
  }

  /** The request called {@code request} has completed, and so have all before it. */
  void onCompleted(long request, Freed freed) {
    long id = request - FIRST_ID;
    if (id > posted || id <= completed) {
      throw new FabricException("queue pair " + pair.number() + " completed a stranger", id);
    }
    for (; completed < id; completed++) {
      freed.on(slots[(int) (completed % slots.length)]);
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
  void close(Freed freed, RestingPairs resting) {
    breakDown();
    if (!isIdle()) {
      pair.reset();
      free(freed);
    }
    requests.close();
    resting.add(pair);
  }

  /** Destroys the queue pair, after which the NIC reads none of its slots. */
  void close(Freed freed) {
    breakDown();
    pair.close();
    free(freed);
    requests.close();
  }

  private void free(Freed freed) {
    if (!isIdle()) {
      onCompleted(FIRST_ID + posted, freed);
    }
  }

  @Override
  public void close() {
    close(slot -> {});
  }
}
