// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;

/**
 * Blocks of many ranks in runs of which each lies in one piece of memory, so that one copy moves
 * it: between thousands of ranks blocks are small, and copies cost more than their bytes. A run of
 * several blocks is short enough that nobody waits long for its last one.
 */
final class BlockRuns {
  private final long most;
  private final List<List<Integer>> peers = new ArrayList<>();
  private final List<Range> ranges = new ArrayList<>();

  /** One run: the ranks whose blocks it is made of, and where they lie. */
  record Run(ImmutableList<Integer> peers, Range range) {}

  /** Runs of several blocks have at most {@code most} elements. */
  BlockRuns(long most) {
    this.most = most;
  }

  /** Adds the block of {@code peer}, which follows those before it if it can. */
  void add(int peer, Range block) {
    int last = ranges.size() - 1;
    if (last >= 0 && follows(ranges.get(last), block)) {
      Range run = ranges.get(last);
      ranges.set(last, new Range(run.space(), run.offset(), run.length() + block.length()));
      peers.get(last).add(peer);
    } else {
      ranges.add(block);
      peers.add(new ArrayList<>(List.of(peer)));
    }
  }

  private boolean follows(Range run, Range block) {
    return run.space() == block.space()
        && run.end() == block.offset()
        && run.length() + block.length() <= most;
  }

  ImmutableList<Run> runs() {
    ImmutableList.Builder<Run> runs = ImmutableList.builder();
    for (int i = 0; i < ranges.size(); i++) {
      runs.add(new Run(ImmutableList.copyOf(peers.get(i)), ranges.get(i)));
    }
    return runs.build();
  }
}
