package io.tombolo.topology;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.Multimap;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * The partition of a job's ranks into vendor clusters. A pure function of the ranks' sites, in any
 * order, with ranks of one vendor anywhere; every rank computes the same one.
 */
public final class Clustering {
  private final ImmutableList<RankSite> sites;
  private final ImmutableList<Cluster> clusters;
  private final int[] clusterOfRank;

  private Clustering(ImmutableList<RankSite> sites, ImmutableList<Cluster> clusters) {
    this.sites = sites;
    this.clusters = clusters;
    this.clusterOfRank = new int[sites.size()];
    clusters.forEach(
        cluster -> cluster.ranks().forEach(rank -> clusterOfRank[rank] = cluster.index()));
  }

  /** Clusters {@code sites}, which must hold each of the ranks 0 … n-1 once. */
  public static Clustering of(Collection<RankSite> sites) {
    List<RankSite> byRank = sites.stream().sorted(Comparator.comparingInt(RankSite::rank)).toList();
    Multimap<String, Integer> ranksByVendor = LinkedHashMultimap.create();
    for (int rank = 0; rank < byRank.size(); rank++) {
      checkArgument(
          byRank.get(rank).rank() == rank, "ranks must be 0 … %s, each once", byRank.size() - 1);
      ranksByVendor.put(byRank.get(rank).vendor(), rank);
    }
    ImmutableList.Builder<Cluster> clusters = ImmutableList.builder();
    int index = 0;
    for (String vendor : ranksByVendor.keySet()) {
      clusters.add(new Cluster(index++, vendor, ImmutableList.copyOf(ranksByVendor.get(vendor))));
    }
    return new Clustering(ImmutableList.copyOf(byRank), clusters.build());
  }

  /** Number of ranks in the job. */
  public int size() {
    return sites.size();
  }

  /** The clusters, in order of their lowest rank. */
  public ImmutableList<Cluster> clusters() {
    return clusters;
  }

  /** The site of {@code rank}. */
  public RankSite site(int rank) {
    return sites.get(rank);
  }

  /** The cluster that {@code rank} belongs to. */
  public Cluster clusterOf(int rank) {
    return clusters.get(clusterOfRank[rank]);
  }

  /** Why {@code rank} is where it is, as one sentence for people. */
  public String reason(int rank) {
    Cluster cluster = clusterOf(rank);
    return cluster.rank(0) == rank
        ? "the first rank whose vendor is '" + cluster.vendor() + "'"
        : "its vendor '" + cluster.vendor() + "' is also that of rank " + cluster.rank(0);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Clustering that && sites.equals(that.sites);
  }

  @Override
  public int hashCode() {
    return sites.hashCode();
  }

  @Override
  public String toString() {
    return clusters + " " + Arrays.toString(clusterOfRank);
  }
}
