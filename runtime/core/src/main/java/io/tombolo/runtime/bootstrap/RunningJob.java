// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.runtime.store.Store;
import io.tombolo.topology.Host;
import io.tombolo.topology.Seat;
import io.tombolo.topology.Topology;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Machine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * A job as its store shows it to somebody who is no rank of it.
 *
 * @param ranks what the ranks published, by rank
 * @param presences what those said that are in, by rank
 * @param pulses what shows that ranks live, by rank; nothing of a job's only rank
 * @param failure the job's first failure, if there was one
 */
public record RunningJob(
    ImmutableList<RankDescriptor> ranks,
    ImmutableSortedMap<Integer, Presence> presences,
    ImmutableSortedMap<Integer, Pulse> pulses,
    Optional<String> failure) {

  /**
   * The job whose store is {@code job}, in its present round. Only reads, so the job does not
   * notice.
   *
   * @throws UnavailableException if no rank has come yet, or not all have; it names those that have
   *     not
   * @throws CorruptException if the store holds something else
   */
  public static RunningJob read(Store job) {
    Store store = JobRound.current(job).in(job);
    int size =
        Presence.size(store)
            .orElseThrow(
                () ->
                    new UnavailableException(
                        store.where()
                            + " has no job in it: rank 0 has not come yet, or this is another"
                            + " program's store"));
    if (size < 1 || size > Topology.MAX_RANKS) {
      throw new CorruptException(store.where() + " speaks of a job of " + size + " ranks");
    }
    return new RunningJob(
        descriptors(store, size),
        ofEach(size, rank -> Presence.of(store, rank)),
        ofEach(size, rank -> Pulse.of(store, rank)),
        FailureWatch.first(store));
  }

  private static ImmutableList<RankDescriptor> descriptors(Store store, int size) {
    return Rendezvous.find(store, size).map(Roster::ranks).orElseThrow(() -> tooEarly(store, size));
  }

  private static UnavailableException tooEarly(Store store, int size) {
    List<Integer> missing = Rendezvous.missing(store, size);
    List<Integer> some = missing.subList(0, Math.min(8, missing.size()));
    return new UnavailableException(
        "%s of %s ranks have not come to %s: %s%s; look again later"
            .formatted(
                missing.size(),
                size,
                store.where(),
                some,
                some.size() < missing.size() ? " …" : ""));
  }

  private static <T> ImmutableSortedMap<Integer, T> ofEach(
      int size, IntFunction<Optional<T>> reader) {
    ImmutableSortedMap.Builder<Integer, T> read = ImmutableSortedMap.naturalOrder();
    for (int rank = 0; rank < size; rank++) {
      Optional<T> one = reader.apply(rank);
      if (one.isPresent()) {
        read.put(rank, one.get());
      }
    }
    return read.buildOrThrow();
  }

  /**
   * Hosts, devices and ranks. What else is in the hosts, the store does not tell: a host here is
   * the devices that the job uses of it.
   */
  public Topology topology() {
    Map<String, List<Integer>> ranksOfHost = new LinkedHashMap<>();
    for (int rank = 0; rank < ranks.size(); rank++) {
      String host = ranks.get(rank).hostId();
      ranksOfHost.computeIfAbsent(host, unseen -> new ArrayList<>()).add(rank);
    }
    List<Host> hosts = new ArrayList<>();
    Seat[] seats = new Seat[ranks.size()];
    ranksOfHost.forEach(
        (id, members) -> {
          for (int place = 0; place < members.size(); place++) {
            seats[members.get(place)] = new Seat(hosts.size(), place);
          }
          hosts.add(host(id, members));
        });
    return Topology.of(hosts, List.of(seats));
  }

  private Host host(String id, List<Integer> members) {
    Presence presence = presences.get(members.get(0));
    ImmutableList<Accelerator> devices =
        members.stream()
            .map(ranks::get)
            .map(
                rank ->
                    new Accelerator(
                        "pid " + rank.pid(),
                        "",
                        -1,
                        0,
                        rank.vendor(),
                        rank.device(),
                        rank.architecture()))
            .collect(ImmutableList.toImmutableList());
    Machine machine =
        new Machine(
            "as a running job tells",
            "",
            ImmutableList.of(),
            ImmutableList.of(),
            devices,
            ImmutableList.of(),
            ImmutableList.of());
    return new Host(id, presence == null ? id : presence.hostName(), machine);
  }
}
