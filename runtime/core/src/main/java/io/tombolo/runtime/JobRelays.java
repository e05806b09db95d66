// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.plan.Relays;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RelayWeights;
import io.tombolo.topology.Uplink;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Who carries each cluster's traffic with others, decided alike by all ranks from what they
 * published.
 */
final class JobRelays {
  private JobRelays() {}

  /**
   * The relays by cluster: by the setting {@code relays}, those nearest to NICs ({@code nics}), or
   * all members alike ({@code all}); otherwise by NICs if the job spans hosts, since on one host no
   * data goes through them.
   *
   * @param ranks the descriptors of the clustering's ranks, in its order
   */
  static ImmutableList<Relays> of(
      Clustering clustering, List<RankDescriptor> ranks, Map<String, String> settings) {
    boolean byNics =
        switch (settings.getOrDefault("relays", "auto")) {
          case "nics" -> true;
          case "all" -> false;
          case "auto" -> spansHosts(clustering);
          default ->
              throw new UsageException(
                  "relays must be auto, nics or all; it is '" + settings.get("relays") + "'");
        };
    List<ImmutableList<Uplink>> uplinks = ranks.stream().map(RankDescriptor::uplinks).toList();
    return clustering.clusters().stream()
        .map(cluster -> byNics ? nearNics(clustering, cluster, uplinks) : all(cluster))
        .collect(ImmutableList.toImmutableList());
  }

  private static Relays nearNics(
      Clustering clustering, Cluster cluster, List<ImmutableList<Uplink>> uplinks) {
    return Relays.weighted(RelayWeights.of(clustering, cluster, uplinks).toArray());
  }

  private static Relays all(Cluster cluster) {
    return Relays.all(cluster.size());
  }

  private static boolean spansHosts(Clustering clustering) {
    return IntStream.range(1, clustering.size())
        .anyMatch(rank -> !clustering.site(rank).hostId().equals(clustering.site(0).hostId()));
  }
}
