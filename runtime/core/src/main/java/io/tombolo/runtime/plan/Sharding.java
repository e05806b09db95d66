// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import io.tombolo.topology.Cluster;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Who answers for which elements of one segment, in all clusters at once.
 *
 * <p>Where two clusters' shares do not coincide, the common refinement of all clusters' cuts gives
 * the <em>lanes</em>: stretches for which each cluster has exactly one relay.
 */
final class Sharding {
  private final Grouping grouping;
  private final ImmutableList<Shares> shares;

  Sharding(Grouping grouping, Interval segment) {
    this.grouping = grouping;
    long unit = unit(grouping.clusters(), segment.length());
    this.shares =
        grouping.clusters().stream()
            .map(cluster -> new Shares(grouping.relays(cluster), segment, unit))
            .collect(ImmutableList.toImmutableList());
  }

  /**
   * The least common multiple of the cluster sizes, or anything above {@code limit} once it passes
   * that.
   */
  static long unit(ImmutableList<Cluster> clusters, long limit) {
    long unit = 1;
    for (Cluster cluster : clusters) {
      if (unit > limit) {
        return unit;
      }
      unit = unit / LongMath.gcd(unit, cluster.size()) * cluster.size();
    }
    return unit;
  }

  /** How {@code cluster} divides the segment. */
  Shares of(Cluster cluster) {
    return shares.get(cluster.index());
  }

  /** The rank of {@code cluster} that answers for the element at {@code offset}. */
  int relay(Cluster cluster, long offset) {
    return cluster.rank(of(cluster).relay(offset));
  }

  /** The lanes inside {@code owned}, in order. */
  ImmutableList<Interval> lanes(Interval owned) {
    SortedSet<Long> cuts = new TreeSet<>();
    cuts.add(owned.end());
    for (Cluster cluster : grouping.clusters()) {
      of(cluster).partsOf(owned).forEach(part -> cuts.add(part.lane().end()));
    }
    ImmutableList.Builder<Interval> lanes = ImmutableList.builder();
    long from = owned.start();
    for (long cut : cuts) {
      if (cut > from) {
        lanes.add(new Interval(from, cut));
      }
      from = cut;
    }
    return lanes.build();
  }
}
