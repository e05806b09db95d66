// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.calibration;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Multiset;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import java.util.ArrayList;
import java.util.List;

/**
 * What is measured, in order: every rank's copies, then every pair, one after the other, as paths
 * share links. Of a large job only some ranks are measured: a few on a few hosts of each cluster. A
 * pure function, the same on every rank.
 */
public final class MeasuringPlan {
  private static final int MAX_RANKS = 24;
  private static final int PER_HOST = 2;

  private MeasuringPlan() {}

  /**
   * One thing to measure.
   *
   * @param kind what carries the bytes
   * @param name the vendor's name; empty for fabrics, which the two ends choose
   * @param from a rank
   * @param to another rank, above {@code from}; the same one for copies
   * @param network whether the two are on different hosts
   */
  public record Turn(PathKind kind, String name, int from, int to, boolean network) {
    /** Whether {@code rank} is at one of the ends. */
    public boolean involves(int rank) {
      return rank == from || rank == to;
    }
  }

  /** The turns for the ranks of {@code clustering}. */
  public static ImmutableList<Turn> of(Clustering clustering) {
    List<Integer> ranks = sample(clustering);
    ImmutableList.Builder<Turn> turns = ImmutableList.builder();
    for (int rank : ranks) {
      turns.add(new Turn(PathKind.COPY, clustering.site(rank).vendor(), rank, rank, false));
    }
    for (int i = 0; i < ranks.size(); i++) {
      for (int j = i + 1; j < ranks.size(); j++) {
        turns.add(pair(clustering, ranks.get(i), ranks.get(j)));
      }
    }
    return turns.build();
  }

  private static Turn pair(Clustering clustering, int from, int to) {
    RankSite source = clustering.site(from);
    RankSite target = clustering.site(to);
    boolean network = !source.hostId().equals(target.hostId());
    return clustering.clusterOf(from).equals(clustering.clusterOf(to))
        ? new Turn(PathKind.VENDOR, source.vendor(), from, to, network)
        : new Turn(PathKind.FABRIC, "", from, to, network);
  }

  private static List<Integer> sample(Clustering clustering) {
    int size = clustering.size();
    Multiset<String> taken = HashMultiset.create();
    List<Integer> ranks = new ArrayList<>();
    for (int rank = 0; rank < size && ranks.size() < MAX_RANKS; rank++) {
      String place = clustering.clusterOf(rank).index() + " " + clustering.site(rank).hostId();
      if (size <= MAX_RANKS || (taken.count(place) < PER_HOST && fits(clustering, rank, ranks))) {
        taken.add(place);
        ranks.add(rank);
      }
    }
    return ranks;
  }

  /** Every cluster gets its share of the places, so that the first one does not take them all. */
  private static boolean fits(Clustering clustering, int rank, List<Integer> taken) {
    int cluster = clustering.clusterOf(rank).index();
    long there =
        taken.stream().filter(each -> clustering.clusterOf(each).index() == cluster).count();
    return there < Math.max(1, MAX_RANKS / clustering.clusters().size());
  }
}
