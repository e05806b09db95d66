package io.tombolo.runtime.plan;

import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.machine.LinkCost;

/**
 * What must cross a cluster's border, whatever the algorithm; in all_reduce, where one cluster can
 * send for another, its share of what must cross all borders. Calls whose layout differs from rank
 * to rank have no such bound here.
 *
 * @param outBytes at least this leaves the cluster
 * @param inBytes at least this enters it
 */
public record Bounds(long outBytes, long inBytes) {

  /** The bounds of {@code call} for {@code cluster} of {@code clustering}. */
  public static Bounds of(Clustering clustering, CollectiveCall call, Cluster cluster) {
    int clusters = clustering.clusters().size();
    if (clusters == 1) {
      return new Bounds(0, 0);
    }
    long vector = call.blockBytes();
    long own = bytes(call, cluster.ranks());
    boolean rooted = clustering.clusterOf(call.root()).index() == cluster.index();
    return switch (call.collective().even()) {
      case ALL_REDUCE -> both(Prices.part(2 * vector, clusters - 1L, clusters));
      case REDUCE -> rooted ? new Bounds(0, vector) : new Bounds(vector, 0);
      case BROADCAST -> rooted ? new Bounds(vector, 0) : new Bounds(0, vector);
      case ALL_GATHER -> new Bounds(own, foreign(clustering, call, own));
      case REDUCE_SCATTER -> new Bounds(foreign(clustering, call, own), own);
      case GATHER -> rooted ? new Bounds(0, foreign(clustering, call, own)) : new Bounds(own, 0);
      case SCATTER -> rooted ? new Bounds(foreign(clustering, call, own), 0) : new Bounds(0, own);
      case ALL_TO_ALL ->
          both(Math.multiplyExact(foreign(clustering, call, own), (long) cluster.size()));
      default -> both(0);
    };
  }

  /**
   * What these bytes would take if all members of {@code cluster} shared them alike, in
   * picoseconds.
   */
  public long timePs(PlanContext context, Cluster cluster) {
    long busiest = Math.max(outBytes, inBytes);
    LinkCost message = Prices.of(context, cluster).message(Prices.oneHost(context.clustering()));
    return busiest == 0 ? 0 : message.timePs(busiest / cluster.size());
  }

  private static Bounds both(long bytes) {
    return new Bounds(bytes, bytes);
  }

  private static long foreign(Clustering clustering, CollectiveCall call, long own) {
    return clustering.clusters().stream().mapToLong(each -> bytes(call, each.ranks())).sum() - own;
  }

  private static long bytes(CollectiveCall call, Iterable<Integer> ranks) {
    long elements = 0;
    for (int rank : ranks) {
      elements = Math.addExact(elements, call.layout().count(rank));
    }
    return Math.multiplyExact(elements, call.type().sizeBytes());
  }
}
