// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import java.util.BitSet;

/**
 * Of a queue that completes its requests in any order, as EFA's do (rdma-core, providers/efa:
 * {@code efa_wq_put_wrid_idx_locked} gives the places of requests back to a pool, one by one): each
 * request asks for a completion, and is called by its slot, of which that alone speaks.
 */
final class SlotsInAnyOrder implements PostedSlots {
  private final int depth;
  private final BitSet posted;
  private int count;

  SlotsInAnyOrder(int depth) {
    this.depth = depth;
    posted = new BitSet(depth);
  }

  @Override
  public boolean hasRoom() {
    return count < depth;
  }

  @Override
  public boolean isEmpty() {
    return count == 0;
  }

  @Override
  public long add(int slot) {
    posted.set(slot);
    count++;
    return slot;
  }

  @Override
  public int flags() {
    return SendRequests.SIGNALLED;
  }

  @Override
  public boolean complete(long number, Freed freed) {
    if (number < 0 || number >= posted.size() || !posted.get((int) number)) {
      return false;
    }
    free((int) number, freed);
    return true;
  }

  @Override
  public void free(Freed freed) {
    for (int slot = posted.nextSetBit(0); slot >= 0; slot = posted.nextSetBit(slot + 1)) {
      free(slot, freed);
    }
  }

  private void free(int slot, Freed freed) {
    posted.clear(slot);
    count--;
    freed.on(slot);
  }
}
