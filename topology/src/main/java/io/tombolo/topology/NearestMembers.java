// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.tombolo.topology.machine.LinkClass;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Chooses, among the members of a cluster on one host, who speaks through which NIC: the nearest
 * one; among equally near ones, one that has fewer NICs yet.
 */
final class NearestMembers {
  private NearestMembers() {}

  /** The member with this index speaks through this NIC. */
  record Choice(int member, Uplink uplink) {}

  /** The choices for members with these ways to the network, rail by rail. */
  static ImmutableList<Choice> choose(List<ImmutableList<Uplink>> members) {
    ImmutableSortedSet<Integer> rails =
        members.stream()
            .flatMap(ImmutableList::stream)
            .map(Uplink::rail)
            .collect(ImmutableSortedSet.toImmutableSortedSet(Comparator.naturalOrder()));
    int[] nicsOf = new int[members.size()];
    List<Choice> chosen = new ArrayList<>();
    for (int rail : rails) {
      Choice best = nearest(members, rail, nicsOf);
      nicsOf[best.member()]++;
      chosen.add(best);
    }
    return nearestOnly(chosen);
  }

  private static Choice nearest(List<ImmutableList<Uplink>> members, int rail, int[] nicsOf) {
    return IntStream.range(0, members.size())
        .boxed()
        .flatMap(
            member ->
                members.get(member).stream()
                    .filter(uplink -> uplink.rail() == rail)
                    .map(uplink -> new Choice(member, uplink)))
        .min(
            Comparator.comparing((Choice choice) -> choice.uplink().distance())
                .thenComparing(choice -> nicsOf[choice.member()])
                .thenComparing(Choice::uplink)
                .thenComparing(Choice::member))
        .orElseThrow();
  }

  /** NICs farther than need be carry other things: storage, or another cluster of this host. */
  private static ImmutableList<Choice> nearestOnly(List<Choice> choices) {
    Optional<LinkClass> nearest =
        choices.stream().map(choice -> choice.uplink().distance()).min(Comparator.naturalOrder());
    return choices.stream()
        .filter(choice -> nearest.orElseThrow() == choice.uplink().distance())
        .collect(ImmutableList.toImmutableList());
  }
}
