// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.List;

/**
 * What ranks are called when it does not matter which they are: where all have the same elements,
 * only clusters and places in them tell ranks apart. Then members of a cluster are neighbours, and
 * so jobs that give the same clusters other ranks become one.
 */
final class Names {
  private static final Range NOWHERE = new Range(Space.INPUT, 0, 0);

  private final int[] ranks;
  private final int[] names;

  private Names(int[] ranks) {
    this.ranks = ranks;
    this.names = new int[ranks.length];
    for (int name = 0; name < ranks.length; name++) {
      names[ranks[name]] = name;
    }
  }

  /** The names in the plans for {@code call}; where ranks have blocks of their own, the ranks. */
  static Names of(Grouping grouping, CollectiveCall call) {
    int[] ranks = new int[grouping.size()];
    int name = 0;
    for (Cluster cluster : grouping.clusters()) {
      for (int rank : cluster.ranks()) {
        ranks[name] = isAlike(call) ? rank : name;
        name++;
      }
    }
    return new Names(ranks);
  }

  /** Whether all ranks have the same elements, and none comes before another. */
  private static boolean isAlike(CollectiveCall call) {
    Signature signature = call.collective().signature();
    return signature.isVector() && !signature.source().isOrdered();
  }

  int of(int rank) {
    return names[rank];
  }

  int rank(int name) {
    return ranks[name];
  }

  /**
   * The programs of {@code plans}, by name and with names in place of ranks. Where a range of no
   * elements lies makes no difference, either.
   */
  List<ImmutableList<Step>> in(List<Plan> plans) {
    List<ImmutableList<Step>> programs = new ArrayList<>();
    for (int rank : ranks) {
      programs.add(
          plans.get(rank).steps().stream()
              .map(step -> new Step(step.id(), named(step.action()), step.after()))
              .collect(ImmutableList.toImmutableList()));
    }
    return programs;
  }

  private Action named(Action action) {
    Action placed = Ranges.changed(action, range -> range.length() == 0 ? NOWHERE : range);
    if (placed instanceof Action.Send send) {
      return new Action.Send(of(send.peer()), send.from(), send.key());
    }
    return placed instanceof Action.Receive receive
        ? new Action.Receive(of(receive.peer()), receive.to(), receive.key())
        : placed;
  }
}
