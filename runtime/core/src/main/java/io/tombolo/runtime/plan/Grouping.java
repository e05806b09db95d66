// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.Cluster;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The clusters as one call sees them: those whose library can do their part stay together; the
 * ranks of the others stand each for itself, and nothing is asked of their library.
 */
final class Grouping {
  private final ImmutableList<Cluster> clusters;
  private final ImmutableList<Relays> relays;
  private final int[] clusterOf;

  private Grouping(ImmutableList<Cluster> clusters, ImmutableList<Relays> relays, int size) {
    this.clusters = clusters;
    this.relays = relays;
    this.clusterOf = new int[size];
    clusters.forEach(cluster -> cluster.ranks().forEach(rank -> clusterOf[rank] = cluster.index()));
  }

  /** Keeps together the clusters that {@code capable} says can do their part. */
  static Grouping of(PlanContext context, Predicate<Cluster> capable) {
    ImmutableList<Cluster> real = context.clustering().clusters();
    if (real.stream().allMatch(cluster -> cluster.size() == 1 || capable.test(cluster))) {
      return new Grouping(real, context.relays(), context.clustering().size());
    }
    return dissolved(context, cluster -> cluster.size() == 1 || capable.test(cluster));
  }

  private static Grouping dissolved(PlanContext context, Predicate<Cluster> keeps) {
    ImmutableList.Builder<Cluster> clusters = ImmutableList.builder();
    ImmutableList.Builder<Relays> relays = ImmutableList.builder();
    Relays itself = Relays.all(1);
    boolean[] kept = new boolean[context.clustering().clusters().size()];
    context.clustering().clusters().forEach(each -> kept[each.index()] = keeps.test(each));
    int index = 0;
    for (int rank = 0; rank < context.clustering().size(); rank++) {
      Cluster cluster = context.clustering().clusterOf(rank);
      if (!kept[cluster.index()]) {
        clusters.add(new Cluster(index++, cluster.vendor(), ImmutableList.of(rank)));
        relays.add(itself);
      } else if (cluster.rank(0) == rank) {
        clusters.add(new Cluster(index++, cluster.vendor(), cluster.ranks()));
        relays.add(context.relays().get(cluster.index()));
      }
    }
    return new Grouping(clusters.build(), relays.build(), context.clustering().size());
  }

  /** The same clusters with other relays. */
  Grouping withRelays(Function<Cluster, Relays> choice) {
    return new Grouping(
        clusters,
        clusters.stream().map(choice).collect(ImmutableList.toImmutableList()),
        clusterOf.length);
  }

  ImmutableList<Cluster> clusters() {
    return clusters;
  }

  /** Number of ranks. */
  int size() {
    return clusterOf.length;
  }

  Cluster clusterOf(int rank) {
    return clusters.get(clusterOf[rank]);
  }

  Relays relays(Cluster cluster) {
    return relays.get(cluster.index());
  }
}
