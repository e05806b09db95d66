// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UsageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The partition of a job's ranks into vendor clusters; of a vendor whose collective library does
 * not join all its architectures, or not ranks of several hosts, one cluster for each. A pure
 * function of the ranks' sites, in any order, with ranks of one vendor anywhere; every rank
 * computes the same one.
 */
public final class Clustering {
  /** What the members of a cluster have in common. */
  private record Kind(String vendor, String architecture, String host) {
    static Kind of(RankSite site, boolean severalHosts) {
      String host = severalHosts && site.oneHostOnly() ? site.hostId() : "";
      return new Kind(site.vendor(), site.architecture(), host);
    }

    boolean isWholeVendor() {
      return architecture.isEmpty() && host.isEmpty();
    }

    /** What makes it a kind, in people's words: {@code vendor and architecture}. */
    String marks() {
      return "vendor"
          + (architecture.isEmpty() ? "" : host.isEmpty() ? " and architecture" : ", architecture")
          + (host.isEmpty() ? "" : " and host");
    }

    String words() {
      return "'" + vendor + "'" + rest();
    }

    private String rest() {
      return (architecture.isEmpty() ? "" : " (" + architecture + ")")
          + (host.isEmpty() ? "" : " on host " + host);
    }

    @Override
    public String toString() {
      return vendor + rest();
    }
  }

  private final ImmutableList<RankSite> sites;
  private final ClusterSplit split;
  private final boolean severalHosts;
  private final ImmutableList<Cluster> clusters;
  private final int[] clusterOfRank;

  private Clustering(
      ImmutableList<RankSite> sites,
      ClusterSplit split,
      boolean severalHosts,
      ImmutableList<Cluster> clusters) {
    this.sites = sites;
    this.split = split;
    this.severalHosts = severalHosts;
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
    boolean severalHosts = byRank.stream().map(RankSite::hostId).distinct().count() > 1;
    Map<Kind, List<Integer>> ranksOfKind = new LinkedHashMap<>();
    for (int rank = 0; rank < byRank.size(); rank++) {
      checkArgument(
          byRank.get(rank).rank() == rank, "ranks must be 0 … %s, each once", byRank.size() - 1);
      ranksOfKind
          .computeIfAbsent(Kind.of(byRank.get(rank), severalHosts), kind -> new ArrayList<>())
          .add(rank);
    }
    return new Clustering(
        ImmutableList.copyOf(byRank), split, severalHosts, clusters(ranksOfKind, split));
  }

  private static ImmutableList<Cluster> clusters(
      Map<Kind, List<Integer>> ranksOfKind, ClusterSplit split) {
    Set<String> vendors = new LinkedHashSet<>();
    ranksOfKind.keySet().forEach(kind -> vendors.add(kind.vendor()));
    for (String vendor : split.partsOfVendor().keySet()) {
      if (!vendors.contains(vendor)) {
        throw new UsageException(
            "split " + split + ": no rank has vendor " + vendor + ", only " + vendors);
      }
    }
    List<Cluster> found = new ArrayList<>();
    ranksOfKind.forEach((kind, ranks) -> parts(kind, ranks, split).forEach(found::add));
    found.sort(Comparator.comparingInt(cluster -> cluster.rank(0)));
    ImmutableList.Builder<Cluster> clusters = ImmutableList.builder();
    for (int index = 0; index < found.size(); index++) {
      clusters.add(new Cluster(index, found.get(index).vendor(), found.get(index).ranks()));
    }
    return clusters.build();
  }

  /** The clusters of one kind, whose indices are not known yet. */
  private static List<Cluster> parts(Kind kind, List<Integer> ranks, ClusterSplit split) {
    int parts = split.parts(kind.vendor());
    if (parts > ranks.size()) {
      throw new UsageException(
          "split " + split + ": " + kind + " has only " + ranks.size() + " ranks");
    }
    List<Cluster> clusters = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      int from = (int) ((long) part * ranks.size() / parts);
      int to = (int) ((part + 1L) * ranks.size() / parts);
      clusters.add(new Cluster(0, kind.vendor(), ImmutableList.copyOf(ranks.subList(from, to))));
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

  /** What the members of {@code cluster} are: their vendor, and what else they have in common. */
  public String kind(Cluster cluster) {
    return Kind.of(site(cluster.rank(0)), severalHosts).toString();
  }

  /** Why {@code rank} is where it is, as one sentence for people. */
  public String reason(int rank) {
    Cluster cluster = clusterOf(rank);
    Kind kind = Kind.of(site(rank), severalHosts);
    int first = cluster.rank(0);
    int parts = split.parts(cluster.vendor());
    if (parts > 1) {
      return "vendor %s is split into %s; this part is ranks from %s on"
          .formatted(kind.words(), parts, first);
    }
    if (kind.isWholeVendor()) {
      return first == rank
          ? "the first rank whose vendor is " + kind.words()
          : "its vendor " + kind.words() + " is also that of rank " + first;
    }
    return first == rank
        ? "the first rank of " + kind.words() + ", which its library joins with no other"
        : "its " + kind.marks() + ", " + kind.words() + ", are also those of rank " + first;
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
