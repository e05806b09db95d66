// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSetMultimap;
import io.tombolo.topology.machine.CostModel;
import io.tombolo.topology.machine.LinkClass;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.Route;
import io.tombolo.topology.machine.Routes;
import java.util.Optional;

/**
 * A topology and what follows from it: clusters, relays, lanes, and the ways between ranks. A pure
 * function of the topology and the split; all that commands show comes from here. Immutable.
 */
public final class Survey {
  private final Topology topology;
  private final Clustering clustering;
  private final CostModel costs;
  private final ImmutableList<ImmutableList<Relay>> relays;
  private final ImmutableSetMultimap<Integer, Relay> relaysOfRank;
  private final ImmutableList<Lane> lanes;
  private final ImmutableList<Routes> routes;

  private Survey(Topology topology, ClusterSplit split, CostModel costs) {
    this.topology = topology;
    this.clustering = Clustering.of(topology.sites(), split);
    this.costs = costs;
    RelayChooser chooser = new RelayChooser(topology);
    this.relays =
        clustering.clusters().stream().map(chooser::of).collect(ImmutableList.toImmutableList());
    this.relaysOfRank =
        relays.stream()
            .flatMap(ImmutableList::stream)
            .collect(ImmutableSetMultimap.toImmutableSetMultimap(Relay::rank, relay -> relay));
    this.lanes = Lanes.refine(relays);
    this.routes =
        topology.machines().stream().map(Routes::new).collect(ImmutableList.toImmutableList());
  }

  /** Decides everything about {@code topology}, one cluster per vendor, at nominal costs. */
  public static Survey of(Topology topology) {
    return of(topology, ClusterSplit.none(), CostModel.nominal());
  }

  /** Decides everything about {@code topology}. */
  public static Survey of(Topology topology, ClusterSplit split, CostModel costs) {
    return new Survey(topology, split, costs);
  }

  /** What it is about. */
  public Topology topology() {
    return topology;
  }

  /** Who belongs together. */
  public Clustering clustering() {
    return clustering;
  }

  /** The relays of {@code cluster}, rail by rail. */
  public ImmutableList<Relay> relays(Cluster cluster) {
    return relays.get(cluster.index());
  }

  /** What {@code rank} speaks for its cluster through; empty if it does not. */
  public ImmutableList<Relay> relaysOf(int rank) {
    return relaysOfRank.get(rank).asList();
  }

  /** How vectors are cut. */
  public ImmutableList<Lane> lanes() {
    return lanes;
  }

  /** The NIC that {@code rank} reaches best, if any is up. */
  public Optional<Nic> nearestNic(int rank) {
    return routes(rank).nearestNic(topology.accelerator(rank).id());
  }

  /** The way from the device of rank {@code from} to that of rank {@code to}. */
  public Route route(int from, int to) {
    String source = topology.accelerator(from).id();
    String target = topology.accelerator(to).id();
    if (topology.seat(from).host() == topology.seat(to).host()) {
      return routes(from).between(source, target);
    }
    return toNetwork(from).acrossNetwork(toNetwork(to));
  }

  /** Time for {@code sizeBytes} from rank {@code from} to rank {@code to}, in picoseconds. */
  public long timePs(int from, int to, long sizeBytes) {
    return costs.timePs(route(from, to), sizeBytes);
  }

  private Route toNetwork(int rank) {
    String device = topology.accelerator(rank).id();
    return nearestNic(rank)
        .map(nic -> routes(rank).toNetwork(device, nic))
        .orElseGet(Survey::unknownNetwork);
  }

  /** For hosts whose NICs nobody described: they are in one job, so something joins them. */
  private static Route unknownNetwork() {
    LinkClass network = LinkClass.NETWORK;
    return new Route(network, network.symbol(), network.megabytesPerSecond(), ImmutableList.of());
  }

  private Routes routes(int rank) {
    return routes.get(topology.machineOf(topology.seat(rank).host()));
  }
}
