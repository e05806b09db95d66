// SPDX-License-Identifier: Apache-2.0
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
  /** Nothing need cross. */
  static final Bounds NONE = new Bounds(0, 0);

  /** The bounds of {@code call} for {@code cluster} of {@code clustering}. */
  public static Bounds of(Clustering clustering, CollectiveCall call, Cluster cluster) {
    return clustering.clusters().size() == 1
        ? NONE
        : call.collective().row().bounds(new Border(clustering, call, cluster));
  }

  /** {@code bytes} each way. */
  static Bounds both(long bytes) {
    return new Bounds(bytes, bytes);
  }

  /** The same the other way. */
  Bounds reversed() {
    return new Bounds(inBytes, outBytes);
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
}
