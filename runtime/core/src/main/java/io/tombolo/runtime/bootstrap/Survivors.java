// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import com.google.common.collect.ContiguousSet;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.Sets;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.NoQuorumException;
import java.util.List;
import java.util.Set;

/**
 * Who of the ranks of a failed communicator goes on, as far as the events of a {@link SurvivorLog}
 * say it: those that came, without those that are gone, before it was closed. Whoever reads the
 * same events finds the same survivors. Pure.
 *
 * @param size how many ranks the failed communicator has
 * @param came those that want to go on
 * @param gone those known to be in the job no more
 * @param isClosed whether that is final
 */
public record Survivors(
    int size,
    ImmutableSortedSet<Integer> came,
    ImmutableSortedSet<Integer> gone,
    boolean isClosed) {

  /** Nothing is known yet of any of {@code size} ranks. */
  static Survivors unknown(int size) {
    return new Survivors(size, ImmutableSortedSet.of(), ImmutableSortedSet.of(), false);
  }

  /** What is known after {@code event}, too. */
  Survivors after(ShrinkEvent event) {
    if (isClosed) {
      return this;
    }
    if (event instanceof ShrinkEvent.Came arrival) {
      return new Survivors(size, with(came, arrival.rank()), gone, false);
    }
    if (event instanceof ShrinkEvent.Gone death) {
      return new Survivors(size, came, with(gone, death.rank()), false);
    }
    return new Survivors(size, came, gone, true);
  }

  private static ImmutableSortedSet<Integer> with(Set<Integer> ranks, int rank) {
    return ImmutableSortedSet.copyOf(Sets.union(ranks, Set.of(rank)));
  }

  /** Of whom nothing has been heard. */
  Set<Integer> missing() {
    Set<Integer> all = ContiguousSet.closedOpen(0, size);
    return Sets.difference(Sets.difference(all, came), gone);
  }

  /** Those that go on, by their new ranks: in their old order. */
  public List<Integer> ranks() {
    return Sets.difference(came, gone).immutableCopy().stream().sorted().toList();
  }

  /**
   * The new rank of the one that was {@code rank}, once they are closed.
   *
   * @throws NoQuorumException if the survivors are no majority
   * @throws DeadlineExceededException if the others are, and go on without this rank
   */
  public int newRankOf(int rank) {
    List<Integer> ranks = ranks();
    if (2 * ranks.size() <= size) {
      throw new NoQuorumException(
          "rank %s: only ranks %s of %s came to go on, which is no majority; start the job again"
              .formatted(rank, ranks, size));
    }
    int place = ranks.indexOf(rank);
    if (place < 0) {
      throw new DeadlineExceededException(
          "rank %s came too late to go on: ranks %s of %s do so without it; end this process, or call shrink with a longer limit on all ranks"
              .formatted(rank, ranks, size));
    }
    return place;
  }
}
