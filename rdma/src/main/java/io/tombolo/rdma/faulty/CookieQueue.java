// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

import io.tombolo.base.LocalMemory;

/** Sends whose memory is read until a copy is done, in order; allocates once. */
final class CookieQueue {
  private static final int CAPACITY = 1 << 14;

  private final long[] cookies = new long[CAPACITY];
  private final LocalMemory[] memories = new LocalMemory[CAPACITY];
  private final long[] tickets = new long[CAPACITY];
  private int first;
  private int size;

  boolean isFull() {
    return size == CAPACITY;
  }

  void add(long cookie, LocalMemory memory, long ticket) {
    int at = (first + size++) % CAPACITY;
    cookies[at] = cookie;
    memories[at] = memory;
    tickets[at] = ticket;
  }

  boolean isFirstDone() {
    return size > 0
        && (tickets[first] == LocalMemory.DONE || memories[first].isDone(tickets[first]));
  }

  /** The cookie of the first, which is done. */
  long remove() {
    long cookie = cookies[first];
    memories[first] = null;
    first = (first + 1) % CAPACITY;
    size--;
    return cookie;
  }

  /** Whether all copies are done. */
  boolean isQuiet() {
    for (int i = 0; i < size; i++) {
      int at = (first + i) % CAPACITY;
      if (tickets[at] != LocalMemory.DONE && !memories[at].isDone(tickets[at])) {
        return false;
      }
    }
    return true;
  }
}
