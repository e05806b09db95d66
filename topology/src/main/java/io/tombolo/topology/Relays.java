package io.tombolo.topology;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.Multimap;
import com.google.common.collect.SortedSetMultimap;
import com.google.common.collect.TreeMultimap;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.LinkClass;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.Route;
import io.tombolo.topology.machine.Routes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Chooses who speaks for a cluster: on each host, for each NIC that is up, the nearest member;
 * among equally near ones, one that has no NIC yet. Depends on devices, not on rank numbers.
 */
final class Relays {

  /** A choice inside a machine, which all hosts with that machine and those members share. */
  private record Choice(int accelerator, Nic nic, int rail, Route route) {}

  private record Members(int machine, ImmutableList<Integer> accelerators) {}

  private static final Comparator<Relay> BY_RAIL =
      Comparator.comparingInt(Relay::rail).thenComparing(Relay::nic);

  private final Topology topology;
  private final Map<Members, ImmutableList<Choice>> choices = new HashMap<>();

  Relays(Topology topology) {
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
    for (Choice choice :
        choices.computeIfAbsent(new Members(machine, accelerators), this::choose)) {
      relays.add(
          new Relay(
              rankOf.get(new Seat(host, choice.accelerator())),
              choice.nic().name(),
              choice.rail(),
              choice.route().linkClass(),
              choice.route().megabytesPerSecond()));
    }
  }

  private ImmutableList<Choice> choose(Members members) {
    Machine machine = topology.machines().get(members.machine());
    Routes ways = new Routes(machine);
    Multimap<Integer, Nic> nicsOf = LinkedHashMultimap.create();
    List<Choice> chosen = new ArrayList<>();
    int rail = 0;
    for (Nic nic : machine.rails()) {
      Choice best = nearest(machine, members, nic, rail++, ways, nicsOf);
      nicsOf.put(best.accelerator(), nic);
      chosen.add(best);
    }
    return nearestOnly(chosen);
  }

  /** NICs farther than need be carry other things: storage, or another cluster of this host. */
  private static ImmutableList<Choice> nearestOnly(List<Choice> choices) {
    Optional<LinkClass> nearest =
        choices.stream().map(choice -> choice.route().linkClass()).min(Comparator.naturalOrder());
    return choices.stream()
        .filter(choice -> nearest.orElseThrow() == choice.route().linkClass())
        .collect(ImmutableList.toImmutableList());
  }

  private static Choice nearest(
      Machine machine,
      Members members,
      Nic nic,
      int rail,
      Routes ways,
      Multimap<Integer, Nic> nicsOf) {
    List<Accelerator> accelerators = machine.accelerators();
    return members.accelerators().stream()
        .map(
            index ->
                new Choice(index, nic, rail, ways.toNetwork(accelerators.get(index).id(), nic)))
        .min(
            Comparator.comparing((Choice choice) -> choice.route().linkClass())
                .thenComparing(choice -> nicsOf.get(choice.accelerator()).size())
                .thenComparing(Choice::route)
                .thenComparing(Choice::accelerator))
        .orElseThrow();
  }

  private static Relay withoutNic(int rank) {
    return new Relay(rank, "", 0, LinkClass.SYSTEM, LinkClass.SYSTEM.megabytesPerSecond());
  }
}
