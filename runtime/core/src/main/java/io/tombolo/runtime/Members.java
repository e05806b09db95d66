// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The ranks of a job that a communicator joins, in its own order: the place here is the rank there.
 *
 * @param jobRanks each member's rank in the job
 * @param self this process's place
 */
record Members(ImmutableIntArray jobRanks, int self) {
  /** Everyone in the job. */
  static Members all(int size, int self) {
    return new Members(ImmutableIntArray.copyOf(IntStream.range(0, size)), self);
  }

  /** The places of {@code jobRanks}, of which {@code self} is this process's, in their order. */
  Members(Collection<Integer> jobRanks, int self) {
    this(ImmutableIntArray.copyOf(jobRanks), List.copyOf(jobRanks).indexOf(self));
  }

  /** Those at the places {@code ranks}, this one among them, in that order. */
  Members some(List<Integer> ranks) {
    return new Members(ranks.stream().map(this::jobRank).toList(), jobRank(self));
  }

  /** The places of {@code ranks} of the job, rising. */
  ImmutableList<Integer> placesOf(List<Integer> ranks) {
    return ranks.stream()
        .map(jobRanks.asList()::indexOf)
        .sorted()
        .collect(ImmutableList.toImmutableList());
  }

  int size() {
    return jobRanks.length();
  }

  int jobRank(int rank) {
    return jobRanks.get(rank);
  }
}
