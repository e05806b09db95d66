package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import io.tombolo.topology.Cluster;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Who answers for which elements of one segment.
 *
 * <p>Every cluster shares the segment out among all its members, so that all of them relay and each
 * crosses with an equal part. Vendors' reduce-scatter and all-gather need equal shards, so the
 * segment is cut into a <em>body</em>, the greatest multiple of the least common multiple of the
 * cluster sizes, and a <em>tail</em>, which the last member of each cluster adds to its shard.
 * Where two clusters' shards do not coincide, the common refinement of all clusters' cuts gives the
 * <em>lanes</em>: stretches for which each cluster has exactly one relay.
 */
final class Sharding {

  /** A stretch of the vector for which each cluster has one relay. */
  record Lane(long start, long end) {
    /** The part of this lane that cluster {@code index} of {@code clusters} reduces. */
    Lane piece(int index, int clusters) {
      long length = end - start;
      return new Lane(start + length * index / clusters, start + length * (index + 1) / clusters);
    }

    long length() {
      return end - start;
    }
  }

  private final ImmutableList<Cluster> clusters;
  private final long start;
  private final long body;
  private final long length;

  Sharding(ImmutableList<Cluster> clusters, long start, long length) {
    this.clusters = clusters;
    this.start = start;
    this.length = length;
    long unit = unit(clusters, length);
    this.body = unit > length ? 0 : length / unit * unit;
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

  /** The whole segment. */
  Lane all() {
    return new Lane(start, start + length);
  }

  /** The elements that go through equal-shard primitives. */
  Lane body() {
    return new Lane(start, start + body);
  }

  /** The elements after the body. */
  Lane tail() {
    return new Lane(start + body, start + length);
  }

  /** The equal shard of the body that the member at {@code position} of {@code cluster} holds. */
  Lane shard(Cluster cluster, int position) {
    long share = body / cluster.size();
    return new Lane(start + share * position, start + share * (position + 1));
  }

  /**
   * All that the member at {@code position} of {@code cluster} answers for: its shard, and the tail
   * if it is last.
   */
  Lane owned(Cluster cluster, int position) {
    Lane shard = shard(cluster, position);
    return position == cluster.size() - 1 ? new Lane(shard.start(), start + length) : shard;
  }

  /** The rank of {@code cluster} that answers for the element at {@code offset}. */
  int relay(Cluster cluster, long offset) {
    long share = body / cluster.size();
    long position =
        share == 0 ? cluster.size() - 1 : Math.min((offset - start) / share, cluster.size() - 1);
    return cluster.rank((int) position);
  }

  /** The lanes inside {@code owned}, in order. */
  ImmutableList<Lane> lanes(Lane owned) {
    SortedSet<Long> cuts = new TreeSet<>();
    cuts.add(owned.start());
    cuts.add(owned.end());
    for (Cluster cluster : clusters) {
      addCuts(cuts, owned, cluster);
    }
    ImmutableList.Builder<Lane> lanes = ImmutableList.builder();
    Long from = null;
    for (Long cut : cuts) {
      if (from != null) {
        lanes.add(new Lane(from, cut));
      }
      from = cut;
    }
    return lanes.build();
  }

  private void addCuts(SortedSet<Long> cuts, Lane owned, Cluster cluster) {
    long share = body / cluster.size();
    if (share == 0) {
      return;
    }
    long first = (owned.start() - start) / share + 1;
    for (long member = first; member < cluster.size(); member++) {
      long cut = start + member * share;
      if (cut >= owned.end()) {
        return;
      }
      cuts.add(cut);
    }
  }
}
