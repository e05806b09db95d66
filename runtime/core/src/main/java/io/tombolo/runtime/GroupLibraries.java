// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Deadline;
import io.tombolo.base.DoAll;
import io.tombolo.runtime.bootstrap.UniqueIds;
import io.tombolo.runtime.equipment.Equipment;
import io.tombolo.runtime.equipment.JoinWatch;
import io.tombolo.runtime.exec.engine.VendorAbort;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.store.Store;
import io.tombolo.topology.Cluster;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * How one rank joins the libraries that bring a group's members together: its vendor's, for its
 * cluster, and the host library, for all where their memory allows. Whoever calls them closes them.
 */
final class GroupLibraries {
  /** Where members say that they are about to enter a library. */
  private static final String BEGUN = "begun";

  private final Equipment equipment;
  private final PlanContext context;
  private final Members members;
  private final Store place;
  private final Supplier<Optional<String>> told;
  private Optional<CclCommunicator> vendor = Optional.empty();
  private Optional<CclCommunicator> flat = Optional.empty();

  /**
   * Those of {@code equipment} for the group that meets at {@code place}.
   *
   * @param told how the job or the group has failed, if others told so: then nobody is waited for
   */
  GroupLibraries(
      Equipment equipment,
      PlanContext context,
      Members members,
      Store place,
      Supplier<Optional<String>> told) {
    this.equipment = equipment;
    this.context = context;
    this.members = members;
    this.place = place;
    this.told = told;
  }

  /** Joins them; all members call this, and it blocks until they have, or one cannot. */
  void join(Deadline deadline) {
    vendor = joinCluster(deadline);
    flat = context.flat().map(declared -> joinFlat(declared, deadline));
  }

  private Optional<CclCommunicator> joinCluster(Deadline deadline) {
    Cluster cluster = cluster();
    if (cluster.size() == 1) {
      return Optional.empty();
    }
    byte[] uniqueId =
        UniqueIds.share(
            place,
            "cluster-" + cluster.index(),
            members.self(),
            cluster.rank(0),
            equipment.ccl()::newUniqueId,
            deadline);
    return Optional.of(
        equipment.join(
            uniqueId,
            cluster,
            context.capabilities().get(cluster.index()),
            members.self(),
            watch(cluster),
            deadline));
  }

  private CclCommunicator joinFlat(Capabilities declared, Deadline deadline) {
    Cluster everyone =
        new Cluster(
            0,
            Vendors.host().name(),
            IntStream.range(0, members.size()).boxed().collect(ImmutableList.toImmutableList()));
    byte[] uniqueId =
        UniqueIds.share(
            place, "flat", members.self(), 0, equipment.hostLibrary()::newUniqueId, deadline);
    return equipment.joinFlat(
        uniqueId, everyone, declared, members.self(), watch(everyone), deadline);
  }

  private JoinWatch watch(Cluster cluster) {
    Store begun = place.within(BEGUN);
    begun.set(Integer.toString(members.self()), new byte[] {1});
    return new JoinWatch(
        told,
        () ->
            cluster.ranks().stream()
                .filter(rank -> begun.get(Integer.toString(rank)).isEmpty())
                .toList());
  }

  private Cluster cluster() {
    return context.clustering().clusterOf(members.self());
  }

  /** The vendor's communicator of this rank's cluster; none where the rank is alone in it. */
  Optional<CclCommunicator> vendor() {
    return vendor;
  }

  /** The host library's, of all ranks, whatever their vendors: see {@link PlanContext#flat}. */
  Optional<CclCommunicator> flat() {
    return flat;
  }

  /** The library that joins all members and has memory to register, if there is one. */
  Optional<CclAdaptor> registers() {
    if (flat.isPresent()) {
      return Optional.of(equipment.hostLibrary());
    }
    return members.size() > 1
            && cluster().size() == members.size()
            && context.capabilities().get(0).has(Capabilities.Flag.REGISTERED_BUFFERS)
        ? Optional.of(equipment.ccl())
        : Optional.empty();
  }

  /** Gives up those joined so far, which nobody has called. */
  void abort() {
    DoAll.of(
        () -> vendor.filter(joined -> canAbort()).ifPresent(this::abort),
        () -> flat.ifPresent(this::abort));
  }

  private void abort(CclCommunicator joined) {
    VendorAbort.of(joined, equipment.device());
  }

  /** A library that cannot would wait in its place for the others. */
  private boolean canAbort() {
    return equipment.ccl().capabilities().has(Capabilities.Flag.ABORT);
  }
}
