// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import java.util.List;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Which ranks of a job are planned: all, or some that stand for the others where planning all would
 * take long. Members of a cluster have the same part in a call, up to which piece is theirs; only
 * its first and last members and the root may have another.
 */
final class PlannedRanks {
  /** Beyond, all plans together take seconds and gigabytes. */
  private static final int MOST_AT_ONCE = 1_024;

  private PlannedRanks() {}

  /** Those of {@code clustering} that are planned for {@code call}, ascending. */
  static List<Integer> of(Clustering clustering, CollectiveCall call, OptionalInt asked) {
    if (clustering.size() <= MOST_AT_ONCE) {
      return IntStream.range(0, clustering.size()).boxed().toList();
    }
    TreeSet<Integer> some = new TreeSet<>(List.of(0, clustering.size() - 1));
    for (Cluster cluster : clustering.clusters()) {
      some.add(cluster.rank(0));
      some.add(cluster.rank(cluster.size() - 1));
    }
    if (call.collective().isRooted()) {
      some.add(call.root());
    }
    asked.ifPresent(some::add);
    return List.copyOf(some);
  }

  /** Which those of {@code job} are, and which of their segments, as a sentence. */
  static String sentence(PlannedJob job) {
    return (job.isWhole() ? "planned for all ranks" : some(job))
        + (job.areEnds() ? "; " + job.ranks().get(0).sentence() : "");
  }

  private static String some(PlannedJob job) {
    String ranks =
        job.ranks().stream()
            .map(rank -> Integer.toString(rank.rank()))
            .collect(Collectors.joining(", "));
    return "planned for %d of %d ranks only, as they are many: %s (the first and last of each cluster, and any root); all figures of time are theirs"
        .formatted(job.ranks().size(), job.size(), ranks);
  }
}
