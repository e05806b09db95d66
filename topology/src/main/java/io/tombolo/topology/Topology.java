// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Machine;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The hosts of a job and which rank sits where. Memory grows with hosts, not ranks: unless given,
 * seats are counted through host by host, and machines that are built alike are one object.
 */
public final class Topology {
  /** A job beyond this is refused before anything is built for it. */
  public static final int MAX_RANKS = 1 << 20;

  private final ImmutableList<Host> hosts;
  private final ImmutableList<Machine> machines;
  private final int[] machineOfHost;
  private final int[] firstRank;
  private final ImmutableList<Seat> seats;

  private Topology(List<Host> hosts, List<Seat> seats) {
    this.hosts = ImmutableList.copyOf(hosts);
    this.seats = ImmutableList.copyOf(seats);
    this.machineOfHost = new int[hosts.size()];
    this.machines = findMachines();
    this.firstRank = new int[hosts.size() + 1];
    Set<String> ids = new HashSet<>();
    for (int host = 0; host < hosts.size(); host++) {
      require(ids.add(hosts.get(host).id()), "two hosts are called '%s'", hosts.get(host).id());
      long next = (long) firstRank[host] + hosts.get(host).machine().accelerators().size();
      require(next <= MAX_RANKS, "more than %s ranks", MAX_RANKS);
      firstRank[host + 1] = (int) next;
    }
    checkSeats();
  }

  /** One rank on each accelerator, counted through host by host. */
  public static Topology of(List<Host> hosts) {
    return new Topology(hosts, ImmutableList.of());
  }

  /** Rank r on {@code seats.get(r)}; accelerators may stay empty. */
  public static Topology of(List<Host> hosts, List<Seat> seats) {
    Topology natural = of(hosts);
    return natural.naturalSeats().equals(seats) ? natural : new Topology(hosts, seats);
  }

  /** The hosts. */
  public ImmutableList<Host> hosts() {
    return hosts;
  }

  /** The distinct machines, in order of the first host that has each. */
  public ImmutableList<Machine> machines() {
    return machines;
  }

  /** The index among {@link #machines()} of what is in a host. */
  public int machineOf(int host) {
    return machineOfHost[host];
  }

  /** Number of ranks. */
  public int size() {
    return seats.isEmpty() ? firstRank[hosts.size()] : seats.size();
  }

  /** Whether ranks are counted through host by host. */
  public boolean isNatural() {
    return seats.isEmpty();
  }

  /** Where {@code rank} sits. */
  public Seat seat(int rank) {
    if (!seats.isEmpty()) {
      return seats.get(rank);
    }
    int found = Arrays.binarySearch(firstRank, rank);
    int host = found >= 0 ? found : -found - 2;
    while (firstRank[host + 1] == rank) {
      host++; // hosts without accelerators start at the same rank as the next one
    }
    return new Seat(host, rank - firstRank[host]);
  }

  /** The host of {@code rank}. */
  public Host host(int rank) {
    return hosts.get(seat(rank).host());
  }

  /** The accelerator of {@code rank}. */
  public Accelerator accelerator(int rank) {
    Seat seat = seat(rank);
    return hosts.get(seat.host()).machine().accelerators().get(seat.accelerator());
  }

  /** What {@code rank} would publish. */
  public RankSite site(int rank) {
    Accelerator accelerator = accelerator(rank);
    return new RankSite(
        rank,
        accelerator.vendor(),
        accelerator.architecture(),
        host(rank).id(),
        false,
        accelerator.id());
  }

  /** The sites of all ranks, each made when asked for. */
  public List<RankSite> sites() {
    return new AbstractList<>() {
      @Override
      public RankSite get(int rank) {
        return site(rank);
      }

      @Override
      public int size() {
        return Topology.this.size();
      }
    };
  }

  /** Machines are compared by value once per object: that takes long, and hosts share objects. */
  private ImmutableList<Machine> findMachines() {
    Map<Machine, Integer> byValue = new LinkedHashMap<>();
    IdentityHashMap<Machine, Integer> byObject = new IdentityHashMap<>();
    for (int host = 0; host < machineOfHost.length; host++) {
      Machine machine = hosts.get(host).machine();
      machineOfHost[host] =
          byObject.computeIfAbsent(
              machine, each -> byValue.computeIfAbsent(each, unseen -> byValue.size()));
    }
    return ImmutableList.copyOf(byValue.keySet());
  }

  private List<Seat> naturalSeats() {
    return new AbstractList<>() {
      @Override
      public Seat get(int rank) {
        return seat(rank);
      }

      @Override
      public int size() {
        return firstRank[hosts.size()];
      }
    };
  }

  private void checkSeats() {
    Set<Seat> taken = new HashSet<>();
    for (int rank = 0; rank < seats.size(); rank++) {
      Seat seat = seats.get(rank);
      boolean exists =
          seat.host() >= 0
              && seat.host() < hosts.size()
              && seat.accelerator() >= 0
              && seat.accelerator() < hosts.get(seat.host()).machine().accelerators().size();
      require(exists, "rank %s sits at %s, where nothing is", rank, seat);
      require(taken.add(seat), "rank %s sits at %s, which is taken", rank, seat);
    }
  }

  private static void require(boolean condition, String complaint, Object... arguments) {
    if (!condition) {
      throw new UsageException("topology: " + Strings.lenientFormat(complaint, arguments));
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Topology that && hosts.equals(that.hosts) && seats.equals(that.seats);
  }

  @Override
  public int hashCode() {
    return hosts.hashCode() * 31 + seats.hashCode();
  }

  @Override
  public String toString() {
    return size() + " ranks on " + hosts.size() + " hosts";
  }
}
