// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import io.tombolo.topology.Host;
import io.tombolo.topology.Relay;
import io.tombolo.topology.Seat;
import io.tombolo.topology.Survey;
import io.tombolo.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The hosts that a picture shows: all of them, or, where they are many, the first few of each kind.
 */
final class Drawn {
  private static final int MAX_HOSTS = 8;
  private static final int PER_MACHINE = 2;

  private final Survey survey;
  private final Topology topology;
  private final List<Integer> hosts = new ArrayList<>();
  private final Map<Integer, Integer> moreAfter = new HashMap<>();
  private final Map<Seat, Integer> rankOfSeat = new HashMap<>();

  Drawn(Survey survey) {
    this.survey = survey;
    this.topology = survey.topology();
    int total = topology.hosts().size();
    Multiset<Integer> seen = HashMultiset.create();
    Map<Integer, Integer> lastOfMachine = new HashMap<>();
    for (int host = 0; host < total; host++) {
      int machine = topology.machineOf(host);
      seen.add(machine);
      if (total <= MAX_HOSTS
          || (machine < MAX_HOSTS / PER_MACHINE && seen.count(machine) <= PER_MACHINE)) {
        hosts.add(host);
        lastOfMachine.put(machine, host);
      }
    }
    if (total > MAX_HOSTS) {
      lastOfMachine.forEach(
          (machine, host) -> moreAfter.put(host, seen.count(machine) - PER_MACHINE));
    }
    seatRanks();
  }

  private void seatRanks() {
    Set<Integer> shown = new HashSet<>(hosts);
    for (int rank = 0; rank < topology.size(); rank++) {
      Seat seat = topology.seat(rank);
      if (shown.contains(seat.host())) {
        rankOfSeat.put(seat, rank);
      }
    }
  }

  /** Indices of the hosts to draw. */
  List<Integer> hosts() {
    return hosts;
  }

  Host host(int index) {
    return topology.hosts().get(index);
  }

  /** The host's name, with how many like it are left out behind it. */
  String title(int index) {
    int more = moreAfter.getOrDefault(index, 0);
    return host(index).name() + (more > 0 ? " and " + more + " more" : "");
  }

  /** Who sits there. */
  Optional<Integer> rank(int host, int accelerator) {
    return Optional.ofNullable(rankOfSeat.get(new Seat(host, accelerator)));
  }

  /** The index of the cluster of who sits there. */
  Optional<Integer> cluster(int host, int accelerator) {
    return rank(host, accelerator).map(rank -> survey.clustering().clusterOf(rank).index());
  }

  /** The colour of who sits there; grey if nobody does. */
  String colour(int host, int accelerator) {
    return cluster(host, accelerator).map(Colours::of).orElse("#d9dde2");
  }

  /** What to call the accelerator: the rank, or the device. */
  String name(int host, int accelerator) {
    return rank(host, accelerator)
        .map(rank -> "r" + rank)
        .orElseGet(() -> host(host).machine().accelerators().get(accelerator).id());
  }

  /** Whether who sits there speaks for its cluster through the NIC of that name. */
  boolean isRelay(int host, int accelerator, String nic) {
    return rank(host, accelerator)
        .map(rank -> survey.relaysOf(rank).stream().map(Relay::nic).anyMatch(nic::equals))
        .orElse(false);
  }
}
