// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Capabilities;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.bootstrap.Rendezvous;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.calibration.Calibration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What ranks plan from, made of what each of them published: for a job that runs, and for one that
 * is only imagined ({@link io.tombolo.runtime.launch.ImaginedRanks}).
 */
public final class JobContext {
  private JobContext() {}

  /**
   * The context of {@code ranks}.
   *
   * @param ranks what they published; a rank's number is its place in this list
   * @param settings the job's settings, of which relays and tuning matter
   * @param calibration what the paths between these ranks were measured to cost
   */
  public static PlanContext of(
      List<RankDescriptor> ranks, Map<String, String> settings, Calibration calibration) {
    Clustering clustering =
        Clustering.of(
            IntStream.range(0, ranks.size())
                .mapToObj(rank -> ranks.get(rank).siteAs(rank))
                .toList());
    return new PlanContext(
        Rendezvous.protocolOf(ranks),
        clustering,
        clustering.clusters().stream()
            .map(cluster -> common(cluster, ranks))
            .collect(ImmutableList.toImmutableList()),
        JobRelays.of(clustering, ranks, settings),
        Tuning.from(settings),
        calibration,
        flat(clustering, ranks));
  }

  /** Within one cluster its own library does as much, and the ranks have joined it anyway. */
  private static Optional<Capabilities> flat(Clustering clustering, List<RankDescriptor> ranks) {
    String host = ranks.get(0).hostId();
    return clustering.clusters().size() > 1
            && ranks.stream().allMatch(rank -> rank.hostId().equals(host) && isOnHost(rank))
        ? Optional.of(Vendors.host().declared())
        : Optional.empty();
  }

  private static boolean isOnHost(RankDescriptor rank) {
    return rank.capabilities().has(Capabilities.Flag.HOST_MEMORY);
  }

  private static Capabilities common(Cluster cluster, List<RankDescriptor> ranks) {
    return cluster.ranks().stream()
        .map(rank -> ranks.get(rank).capabilities())
        .reduce(Capabilities::with)
        .orElseThrow();
  }
}
