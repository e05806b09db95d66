// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.rdma.FabricProvider;
import io.tombolo.rdma.Fabrics;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.equipment.ReductionChoice;
import io.tombolo.runtime.plan.InPlace;
import io.tombolo.runtime.plan.Movers;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Reach;
import io.tombolo.topology.Clustering;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Who would move the bytes of a job's ranks, as far as their places, their vendors' rows and the
 * settings tell: what devices reach of the slots of messages, and where elements would be combined.
 * No device is asked, and nothing is known of NICs: between hosts processors copy.
 */
public final class MovingOutlook {
  private final PlanContext context;
  private final FabricProvider near;
  private final String reduce;
  private final ImmutableSet<Integer> everyone;
  private final ImmutableMap<String, ImmutableSet<Integer>> byHost;
  private final Map<String, Vendor> vendors = Maps.uniqueIndex(Vendors.all(), Vendor::name);

  /** For the ranks of {@code context} in a job of these settings. */
  public MovingOutlook(PlanContext context, Map<String, String> settings) {
    this.context = context;
    this.near = preferred(settings);
    this.reduce = settings.getOrDefault(JobEnvironment.REDUCE, "auto");
    Clustering clustering = context.clustering();
    this.everyone =
        IntStream.range(0, clustering.size()).boxed().collect(ImmutableSet.toImmutableSet());
    this.byHost =
        ImmutableMap.copyOf(
            everyone.stream()
                .collect(
                    Collectors.groupingBy(
                        rank -> clustering.site(rank).hostId(), ImmutableSet.toImmutableSet())));
  }

  /** The fabric between ranks of one host. */
  private static FabricProvider preferred(Map<String, String> settings) {
    List<String> named =
        Splitter.on(',')
            .trimResults()
            .omitEmptyStrings()
            .splitToList(settings.getOrDefault("fabrics", ""));
    return named.isEmpty() ? Fabrics.all().get(0) : Fabrics.named(named.get(0));
  }

  /** What is reached of the memory of {@code rank}, as its plans go by. */
  public Reach reach(int rank) {
    if (isOnHost(rank)) {
      return new Reach(everyone, everyone, true, true, 0);
    }
    if (!near.sharesMemory()) {
      return Reach.NONE;
    }
    ImmutableSet<Integer> neighbours = neighbours(rank);
    return new Reach(neighbours, neighbours, true, true, kernelsFromBytes(rank));
  }

  private ImmutableSet<Integer> neighbours(int rank) {
    return byHost.get(context.clustering().site(rank).hostId());
  }

  /** Who carries out the steps of {@code rank}. */
  public Movers movers(int rank) {
    return new Movers(isOnHost(rank), kernelsFromBytes(rank), inPlace(rank));
  }

  private InPlace inPlace(int rank) {
    if (!isOnHost(rank)) {
      return InPlace.NONE;
    }
    ImmutableSet<Integer> peers =
        neighbours(rank).stream().filter(this::isOnHost).collect(ImmutableSet.toImmutableSet());
    return new InPlace(peers, near::bytesReadInPlace);
  }

  /** What this goes by, as a sentence. */
  public String text() {
    return near.sharesMemory()
        ? "copies: between ranks of one host as over shared memory, which devices reach, and where"
            + " large messages in host memory are read in place; between hosts as over sockets,"
            + " where a NIC may spare them"
        : "copies: as over sockets, between all ranks; a NIC may spare them";
  }

  private boolean isOnHost(int rank) {
    return vendor(rank).filter(Vendor::isHost).isPresent();
  }

  private long kernelsFromBytes(int rank) {
    return vendor(rank)
        .map(vendor -> ReductionChoice.deviceFromBytes(vendor, reduce))
        .orElse(Reach.NEVER);
  }

  /** Nothing if nobody knows it here: then it has devices, and no compiler. */
  private Optional<Vendor> vendor(int rank) {
    return Optional.ofNullable(vendors.get(context.clustering().site(rank).vendor()));
  }
}
