package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Collective;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import java.util.List;

/**
 * What the plans of a call really depend on: calls of one word that are alike in this have the same
 * plans, so that proving one proves all. {@link SmallWorldsTest} samples that it is so.
 *
 * @param call which of the word's calls
 * @param count elements of the call
 * @param segmentBytes bytes of a segment; 0 if there is only one in every setting
 * @param profile what the libraries declare
 * @param wholeLanes whether all_reduce exchanges whole lanes
 * @param relays who relays; none where blocks go straight to their ranks
 */
record Sameness(
    int call,
    long count,
    long segmentBytes,
    Worlds.Profile profile,
    boolean wholeLanes,
    ImmutableList<Relays> relays) {

  static Sameness of(
      Setting setting, Clustering clustering, int index, List<CollectiveCall> calls) {
    CollectiveCall call = calls.get(0);
    boolean direct = setting.algorithm() == Algorithm.DIRECT;
    return new Sameness(
        index,
        setting.count(),
        isOneSegment(call, clustering.size()) ? 0 : setting.segmentBytes(),
        setting.profile(),
        direct && call.collective() == Collective.ALL_REDUCE,
        goesThroughRelays(call) ? relays(setting, clustering, call) : ImmutableList.of());
  }

  /** Host-only reductions take every rank for a cluster of its own. */
  private static boolean goesThroughRelays(CollectiveCall call) {
    return switch (call.collective().even()) {
      case ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER ->
          !call.reduction().hostOnly();
      default -> false;
    };
  }

  private static boolean isOneSegment(CollectiveCall call, int ranks) {
    for (int rank = 0; rank < ranks; rank++) {
      if (call.layout().count(rank) > 1) {
        return false;
      }
    }
    return true;
  }

  private static ImmutableList<Relays> relays(
      Setting setting, Clustering clustering, CollectiveCall call) {
    if (setting.algorithm() == Algorithm.PIECES) {
      return ImmutableList.copyOf(setting.relays());
    }
    ImmutableList.Builder<Relays> leaders = ImmutableList.builder();
    for (Cluster cluster : clustering.clusters()) {
      boolean rooted =
          call.collective().isRooted()
              && clustering.clusterOf(call.root()).index() == cluster.index();
      int leader =
          rooted ? cluster.positionOf(call.root()) : setting.relays().get(cluster.index()).leader();
      leaders.add(Relays.only(leader, cluster.size()));
    }
    return leaders.build();
  }
}
