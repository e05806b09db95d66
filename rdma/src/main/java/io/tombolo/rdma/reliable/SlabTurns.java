// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import java.util.ArrayDeque;

/**
 * Who may have the next free slots of a slab.
 *
 * <p>A channel that holds none and whose peer has asked stands in line, and is called when a slot
 * is free that is not kept for one called before. While nobody stands in line, one whose peer has
 * asked may hold as many as are free (dynamic thresholds, Choudhury and Hahne, 1998), and one whose
 * peer has not, as many as are free above half of all: what waits for silent peers is never more
 * than the other half.
 */
final class SlabTurns {
  private final int reserve;
  private final ArrayDeque<SlabShare> waiting = new ArrayDeque<>();
  private int called;

  SlabTurns(int slots) {
    reserve = (slots + 1) / 2;
  }

  /** Whether the channel of {@code share} may take one of {@code free} slots now. */
  boolean mayHave(SlabShare share, boolean asked, int free) {
    if (asked && share.held == 0) {
      standInLine(share);
      call(free);
      return share.called;
    }
    return waiting.isEmpty() && share.held < free - called - (asked ? 0 : reserve);
  }

  private void standInLine(SlabShare share) {
    if (!share.inLine) {
      share.inLine = true;
      waiting.add(share);
    }
  }

  /** Calls as many as {@code free} slots are for. */
  private void call(int free) {
    while (called < free && !waiting.isEmpty()) {
      waiting.remove().called = true;
      called++;
    }
  }

  /** The channel of {@code share} has taken one of the free slots, or is gone. */
  void leaveLine(SlabShare share) {
    if (share.called) {
      called--;
    } else if (share.inLine) {
      waiting.remove(share);
    }
    share.inLine = false;
    share.called = false;
  }
}
