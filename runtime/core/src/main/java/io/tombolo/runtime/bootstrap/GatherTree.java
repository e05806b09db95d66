// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The tree by which ranks come together in a store, and its keys. Each rank puts there what it has
 * of the ranks below it, once these have; rank 0's is what all read. So a rank reads few keys, in
 * few rounds, however many ranks there are. Pure.
 *
 * @param size how many ranks there are; the ranks below rank <i>r</i> are 4<i>r</i> + 1 … 4<i>r</i>
 *     + 4
 */
record GatherTree(int size) {
  static final int FAN_OUT = 4;

  /** What rank 0 puts there for everybody. */
  static final String ALL = "all";

  private static final String BUNDLES = "up/";

  /** The ranks just below {@code rank}, in order. */
  ImmutableList<Integer> children(int rank) {
    long first = (long) FAN_OUT * rank + 1;
    return IntStream.range(0, FAN_OUT)
        .filter(place -> first + place < size)
        .mapToObj(place -> Math.toIntExact(first + place))
        .collect(ImmutableList.toImmutableList());
  }

  /** Under which {@code rank}, if others are below it, says that it has come. */
  static String comingOf(int rank) {
    return Integer.toString(rank);
  }

  /** Under which {@code rank} puts what it has of itself and those below it. */
  static String bundleOf(int rank) {
    return rank == 0 ? ALL : BUNDLES + rank;
  }

  /** Those keys of all of {@code ranks}. */
  static List<String> bundlesOf(List<Integer> ranks) {
    return ranks.stream().map(GatherTree::bundleOf).toList();
  }

  /** {@code rank} and all below it. */
  List<Integer> under(int rank) {
    List<Integer> ranks = new ArrayList<>(List.of(rank));
    for (int next = 0; next < ranks.size(); next++) {
      ranks.addAll(children(ranks.get(next)));
    }
    return ranks;
  }
}
