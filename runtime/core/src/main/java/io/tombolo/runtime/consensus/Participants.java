// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.consensus;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import java.util.stream.IntStream;

/**
 * Who agrees, as one of them sees it; all by their ranks in the job.
 *
 * @param self this rank
 * @param members all that are to agree
 * @param acceptors the ranks that host acceptors, rising; of them more than half must live
 */
record Participants(
    int self, ImmutableSortedSet<Integer> members, ImmutableList<Integer> acceptors) {
  /** More would make each agreement dearer, and not much safer. */
  static final int MAX_ACCEPTORS = 15;

  /** Which of the ranks of a job of {@code size} host acceptors: all, or some, evenly spread. */
  static ImmutableList<Integer> acceptorsOf(int size) {
    int count = Math.min(size, MAX_ACCEPTORS);
    return IntStream.range(0, count)
        .map(index -> (int) ((long) index * size / count))
        .boxed()
        .collect(ImmutableList.toImmutableList());
  }

  /** As many acceptors as any two decisions share one of. */
  int quorum() {
    return acceptors.size() / 2 + 1;
  }
}
