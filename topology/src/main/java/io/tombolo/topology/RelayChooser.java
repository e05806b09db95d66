// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.SortedSetMultimap;
import com.google.common.collect.TreeMultimap;
import io.tombolo.topology.machine.LinkClass;
import io.tombolo.topology.machine.Machine;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Chooses who speaks for a cluster: on each host, for each NIC that is up, the nearest member;
 * among equally near ones, one that has no NIC yet. Depends on devices, not on rank numbers.
 */
final class RelayChooser {

  /** Members of a cluster inside a machine: their choices are the same on all hosts like that. */
  private record Members(int machine, ImmutableList<Integer> accelerators) {}

  private static final Comparator<Relay> BY_RAIL =
      Comparator.comparingInt(Relay::rail).thenComparing(Relay::nic);

  private final Topology topology;
  private final Map<Members, ImmutableList<NearestMembers.Choice>> choices = new HashMap<>();

  RelayChooser(Topology topology) {
    this.topology = topology;
  }

  /** The relays of {@code cluster}, rail by rail; on each rail in order of hosts. */
  ImmutableList<Relay> of(Cluster cluster) {
    SortedSetMultimap<Integer, Seat> seatsOfHost =
        TreeMultimap.create(Comparator.naturalOrder(), Comparator.comparingInt(Seat::accelerator));
    Map<Seat, Integer> rankOf = new HashMap<>();
    for (int rank : cluster.ranks()) {
      Seat seat = topology.seat(rank);
      seatsOfHost.put(seat.host(), seat);
      rankOf.put(seat, rank);
    }
    List<Relay> relays = new ArrayList<>();
    for (int host : seatsOfHost.keySet()) {
      relaysOn(host, seatsOfHost.get(host), rankOf, relays);
    }
    if (relays.isEmpty()) {
      cluster.ranks().forEach(rank -> relays.add(withoutNic(rank)));
    }
    return relays.stream().sorted(BY_RAIL).collect(ImmutableList.toImmutableList());
  }

  private void relaysOn(
      int host, Collection<Seat> seats, Map<Seat, Integer> rankOf, List<Relay> relays) {
    int machine = topology.machineOf(host);
    ImmutableList<Integer> accelerators =
        seats.stream().map(Seat::accelerator).collect(ImmutableList.toImmutableList());
    for (NearestMembers.Choice choice :
        choices.computeIfAbsent(new Members(machine, accelerators), this::choose)) {
      Uplink uplink = choice.uplink();
      relays.add(
          new Relay(
              rankOf.get(new Seat(host, accelerators.get(choice.member()))),
              uplink.nic(),
              uplink.rail(),
              uplink.distance(),
              uplink.megabytesPerSecond()));
    }
  }

  private ImmutableList<NearestMembers.Choice> choose(Members members) {
    Machine machine = topology.machines().get(members.machine());
    return NearestMembers.choose(
        members.accelerators().stream()
            .map(index -> Uplink.of(machine, machine.accelerators().get(index).id()))
            .toList());
  }

  private static Relay withoutNic(int rank) {
    return new Relay(rank, "", 0, LinkClass.SYSTEM, LinkClass.SYSTEM.megabytesPerSecond());
  }
}
