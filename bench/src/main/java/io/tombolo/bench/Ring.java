// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;

/**
 * All ranks in a ring. Pure.
 *
 * @param ranks each once
 */
record Ring(ImmutableList<Integer> ranks) {
  /**
   * A ring in which clusters take turns as long as each has ranks left: of clusters of one size, no
   * two neighbours are of the same one.
   */
  static Ring of(Clustering clustering) {
    ImmutableList.Builder<Integer> ranks = ImmutableList.builder();
    for (int turn = 0; turn < clustering.size(); turn++) {
      for (Cluster cluster : clustering.clusters()) {
        if (turn < cluster.size()) {
          ranks.add(cluster.rank(turn));
        }
      }
    }
    return new Ring(ranks.build());
  }

  int size() {
    return ranks.size();
  }

  /** Whoever comes behind {@code rank}. */
  int next(int rank) {
    return ranks.get((placeOf(rank) + 1) % size());
  }

  /** Whoever comes before {@code rank}. */
  int previous(int rank) {
    return ranks.get((placeOf(rank) + size() - 1) % size());
  }

  private int placeOf(int rank) {
    int place = ranks.indexOf(rank);
    checkArgument(place >= 0, "rank %s is none of %s", rank, ranks);
    return place;
  }
}
