package io.tombolo.topology;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UsageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The partition of a job's ranks into vendor clusters. A pure function of the ranks' sites, in any
 * order, with ranks of one vendor anywhere; every rank computes the same one.
 */
public final class Clustering {
  private final ImmutableList<RankSite> sites;
  private final ClusterSplit split;
  private final ImmutableList<Cluster> clusters;
  private final int[] clusterOfRank;

  private Clustering(
      ImmutableList<RankSite> sites, ClusterSplit split, ImmutableList<Cluster> clusters) {
    this.sites = sites;
    this.split = split;
    this.clusters = clusters;
    this.clusterOfRank = new int[sites.size()];
    clusters.forEach(
        cluster -> cluster.ranks().forEach(rank -> clusterOfRank[rank] = cluster.index()));
  }

  /**
   * Clusters {@code sites}, which must hold each of the ranks 0 … n-1 once; one cluster a vendor.
   */
  public static Clustering of(Collection<RankSite> sites) {
    return of(sites, ClusterSplit.none());
  }

  /** As above, with the vendors in {@code split} in more than one cluster. */
  public static Clustering of(Collection<RankSite> sites, ClusterSplit split) {
    List<RankSite> byRank = sites.stream().sorted(Comparator.comparingInt(RankSite::rank)).toList();
    Map<String, List<Integer>> ranksByVendor = new LinkedHashMap<>();
    for (int rank = 0; rank < byRank.size(); rank++) {
      checkArgument(
          byRank.get(rank).rank() == rank, "ranks must be 0 … %s, each once", byRank.size() - 1);
      ranksByVendor
          .computeIfAbsent(byRank.get(rank).vendor(), vendor -> new ArrayList<>())
          .add(rank);
    }
    return new Clustering(ImmutableList.copyOf(byRank), split, clusters(ranksByVendor, split));
  }

  private static ImmutableList<Cluster> clusters(
      Map<String, List<Integer>> ranksByVendor, ClusterSplit split) {
    for (String vendor : split.partsOfVendor().keySet()) {
      if (!ranksByVendor.containsKey(vendor)) {
        throw new UsageException(
            "split "
                + split
                + ": no rank has vendor "
                + vendor
                + ", only "
                + ranksByVendor.keySet());
      }
    }
    List<Cluster> found = new ArrayList<>();
    ranksByVendor.forEach((vendor, ranks) -> parts(vendor, ranks, split).forEach(found::add));
    found.sort(Comparator.comparingInt(cluster -> cluster.rank(0)));
    ImmutableList.Builder<Cluster> clusters = ImmutableList.builder();
    for (int index = 0; index < found.size(); index++) {
      clusters.add(new Cluster(index, found.get(index).vendor(), found.get(index).ranks()));
    }
    return clusters.build();
  }

  /** The clusters of one vendor, whose indices are not known yet. */
  private static List<Cluster> parts(String vendor, List<Integer> ranks, ClusterSplit split) {
    int parts = split.parts(vendor);
    if (parts > ranks.size()) {
      throw new UsageException(
          "split " + split + ": " + vendor + " has only " + ranks.size() + " ranks");
    }
    List<Cluster> clusters = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      int from = (int) ((long) part * ranks.size() / parts);
      int to = (int) ((part + 1L) * ranks.size() / parts);
      clusters.add(new Cluster(0, vendor, ImmutableList.copyOf(ranks.subList(from, to))));
    }
    return clusters;
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
    String vendor = "'" + cluster.vendor() + "'";
    int parts = split.parts(cluster.vendor());
    if (parts > 1) {
      return "vendor "
          + vendor
          + " is split into "
          + parts
          + "; this part is ranks from "
          + cluster.rank(0)
          + " on";
    }
    return cluster.rank(0) == rank
        ? "the first rank whose vendor is " + vendor
        : "its vendor " + vendor + " is also that of rank " + cluster.rank(0);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Clustering that && sites.equals(that.sites) && split.equals(that.split);
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
