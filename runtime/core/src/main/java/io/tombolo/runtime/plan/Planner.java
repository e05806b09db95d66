package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.tombolo.base.Collective;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.topology.Cluster;

/**
 * Turns a call into one rank's program. A pure function of the agreed context, the call and the
 * rank: all ranks that agree on the context plan programs that fit together.
 */
public final class Planner {
  /** No vector is cut into units above this: their elements would not fit a machine. */
  private static final long LONGEST_UNIT = 1L << 40;

  private final PlanContext context;

  /** A planner for jobs that agreed on {@code context}. */
  public Planner(PlanContext context) {
    this.context = context;
  }

  /**
   * The program of {@code rank} for {@code call}.
   *
   * @throws UnsupportedException if a cluster's library does not declare what the call needs; the
   *     same on every rank
   */
  public Plan plan(CollectiveCall call, int rank) {
    if (call.collective() != Collective.ALL_REDUCE) {
      throw new UnsupportedException(
          "no plan for " + call.collective().text() + " yet; all_reduce is planned");
    }
    return new AllReducePlanner(context, call, rank).plan();
  }

  /** The ranks of other clusters that {@code rank} may exchange messages with, in any call. */
  public ImmutableSortedSet<Integer> peers(int rank) {
    ImmutableList<Cluster> clusters = context.clustering().clusters();
    Cluster mine = context.clustering().clusterOf(rank);
    long unit = Sharding.unit(clusters, LONGEST_UNIT);
    Sharding bodyAndTail = new Sharding(clusters, 0, unit + 1);
    ImmutableSortedSet.Builder<Integer> peers = ImmutableSortedSet.naturalOrder();
    for (Sharding.Lane lane : bodyAndTail.lanes(bodyAndTail.owned(mine, mine.positionOf(rank)))) {
      for (Cluster other : clusters) {
        if (other.index() != mine.index()) {
          peers.add(bodyAndTail.relay(other, lane.start()));
        }
      }
    }
    return peers.build();
  }
}
