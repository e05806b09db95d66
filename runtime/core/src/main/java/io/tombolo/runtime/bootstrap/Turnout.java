// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Which ranks keep the others waiting, as the store shows it.
 *
 * @param missing those that have not come
 * @param held those that have come, have all from the ranks below them, and have not passed it on
 */
record Turnout(ImmutableList<Integer> missing, ImmutableList<Integer> held) {

  /** Looks at all whom somebody may wait for: the fewer are missing, the fewer keys. */
  static Turnout of(Store room, GatherTree tree) {
    List<Integer> missing = new ArrayList<>();
    List<Integer> held = new ArrayList<>();
    look(room, tree, 0, missing, held);
    return new Turnout(
        missing.stream().sorted().collect(ImmutableList.toImmutableList()),
        held.stream().sorted().collect(ImmutableList.toImmutableList()));
  }

  /** Whether {@code rank} has passed on what is under it. */
  private static boolean look(
      Store room, GatherTree tree, int rank, List<Integer> missing, List<Integer> held) {
    if (room.get(GatherTree.bundleOf(rank)).isPresent()) {
      return true;
    }
    List<Integer> children = tree.children(rank);
    boolean hasAll = true;
    for (int child : children) {
      hasAll &= look(room, tree, child, missing, held);
    }
    if (children.isEmpty() || room.get(GatherTree.comingOf(rank)).isEmpty()) {
      missing.add(rank);
    } else if (hasAll) {
      held.add(rank);
    }
    return false;
  }

  /** {@code rank 3}, {@code ranks 3, 5}. */
  static String named(List<Integer> ranks) {
    return (ranks.size() == 1 ? "rank " : "ranks ")
        + ranks.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }
}
