// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.rdma.verbs.PortAttributes.Link;

/**
 * The packet slots of the requests in a send queue: each from {@link #add} until the NIC has said
 * that it reads it no longer. Allocates nothing once its highest slot was posted.
 */
sealed interface PostedSlots permits SlotsInOrder, SlotsInAnyOrder {
  /** Told of each slot that the NIC no longer reads. */
  interface Freed {
    void on(int slot);
  }

  /** Those of a queue of {@code depth} requests, of a device whose port is on {@code link}. */
  static PostedSlots of(Link link, int depth) {
    return link == Link.UNSPECIFIED ? new SlotsInAnyOrder(depth) : new SlotsInOrder(depth);
  }

  boolean hasRoom();

  boolean isEmpty();

  /** Takes {@code slot}; the number of its request, from 0 to 2⁶² − 1. */
  long add(int slot);

  /** Flags of {@link SendRequests} that each request needs. */
  int flags();

  /** The request of that number has completed; false if no such one was posted. */
  boolean complete(long number, Freed freed);

  /** The NIC reads none of them any more. */
  void free(Freed freed);
}
