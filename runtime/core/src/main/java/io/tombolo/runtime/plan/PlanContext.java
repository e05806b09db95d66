// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static com.google.common.base.Preconditions.checkArgument;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.hash.Hashing;
import io.tombolo.base.Capabilities;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.calibration.Calibration;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Everything the planner may look at besides the call, agreed by all ranks at init.
 *
 * @param protocolVersion the version of the wire that init agreed on
 * @param clustering who belongs together
 * @param capabilities what each cluster's library declares, by cluster index
 * @param relays who carries each cluster's traffic with others, by cluster index
 * @param tuning how plans are cut and algorithms chosen
 * @param calibration what paths were measured to cost, {@link Calibration#none} as a rule
 * @param flat what the host library does for all ranks at once: where they are of several clusters,
 *     all have the host's memory, and are on one host
 */
public record PlanContext(
    int protocolVersion,
    Clustering clustering,
    ImmutableList<Capabilities> capabilities,
    ImmutableList<Relays> relays,
    Tuning tuning,
    Calibration calibration,
    Optional<Capabilities> flat) {
  /** Characters of a fact that people are shown; in place of more stands a digest. */
  private static final int READABLE = 200;

  /** Checks that every cluster has its capabilities and relays. */
  public PlanContext {
    for (Cluster cluster : clustering.clusters()) {
      checkArgument(
          relays.size() == clustering.clusters().size()
              && relays.get(cluster.index()).members() == cluster.size(),
          "cluster %s has %s members, and no weight for each in %s",
          cluster.index(),
          cluster.size(),
          relays);
    }
    checkArgument(
        capabilities.size() == clustering.clusters().size(),
        "%s clusters need as many capability sets, not %s",
        clustering.clusters().size(),
        capabilities.size());
  }

  /** A context without the host library for all ranks. */
  public PlanContext(
      int protocolVersion,
      Clustering clustering,
      ImmutableList<Capabilities> capabilities,
      ImmutableList<Relays> relays,
      Tuning tuning,
      Calibration calibration) {
    this(protocolVersion, clustering, capabilities, relays, tuning, calibration, Optional.empty());
  }

  /** A context in which all ranks relay alike, and nothing was measured. */
  public static PlanContext evenly(
      int protocolVersion,
      Clustering clustering,
      ImmutableList<Capabilities> capabilities,
      Tuning tuning) {
    return new PlanContext(
        protocolVersion,
        clustering,
        capabilities,
        clustering.clusters().stream()
            .map(cluster -> Relays.all(cluster.size()))
            .collect(ImmutableList.toImmutableList()),
        tuning,
        Calibration.none());
  }

  /**
   * This context as named facts, for ranks to compare: two contexts plan alike if and only if these
   * are equal.
   */
  public ImmutableSortedMap<String, String> facts() {
    ImmutableSortedMap.Builder<String, String> facts = ImmutableSortedMap.naturalOrder();
    facts.put("protocol", Integer.toString(protocolVersion));
    facts.put("calibration", calibration.digest());
    facts.put("tuning.segment_bytes", Long.toString(tuning.segmentBytes()));
    facts.put("tuning.algorithms", tuning.algorithms().toString());
    facts.put("tuning.tuner", tuning.tuner().name());
    facts.put("hosts", hosts());
    facts.put("flat", flat.map(Capabilities::toString).orElse("no"));
    facts.put("clusters.vendor", ofClusters(Cluster::vendor));
    facts.put("clusters.ranks", brief(ofClusters(Cluster::ranks)));
    facts.put("clusters.capabilities", ofClusters(cluster -> capabilities.get(cluster.index())));
    facts.put(
        "clusters.relays", ofClusters(cluster -> brief(relays.get(cluster.index()).toString())));
    return facts.build();
  }

  /** Thousands of clusters are mostly alike. */
  private String ofClusters(Function<Cluster, ?> fact) {
    return AlikeClusters.text(clustering.clusters().stream().map(fact).toList());
  }

  /** Digests stand for what grows with the job, so that a fact is short on any number of ranks. */
  private String hosts() {
    return digest(
        IntStream.range(0, clustering.size())
            .mapToObj(rank -> clustering.site(rank).hostId())
            .collect(Collectors.joining("\n")));
  }

  /** What people may want to read, as long as they can. */
  private static String brief(String text) {
    return text.length() <= READABLE ? text : digest(text);
  }

  private static String digest(String text) {
    return Hashing.sha256().hashString(text, UTF_8).toString();
  }
}
