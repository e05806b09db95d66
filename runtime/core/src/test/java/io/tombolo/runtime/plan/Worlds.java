package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Collective;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Small jobs for tests: a job is a word with one letter, its vendor, for each rank. */
final class Worlds {
  private static final Capabilities EVERYTHING =
      Capabilities.of(
          EnumSet.allOf(Collective.class),
          EnumSet.allOf(DataType.class),
          EnumSet.complementOf(EnumSet.of(ReduceOp.AVG)),
          Set.of());

  private Worlds() {}

  /**
   * Every word of {@code ranks} letters up to renaming of vendors, with at most {@code vendors} of
   * them.
   */
  static List<String> words(int ranks, int vendors) {
    List<String> words = List.of("");
    for (int rank = 0; rank < ranks; rank++) {
      List<String> longer = new ArrayList<>();
      for (String word : words) {
        int used = (int) word.chars().distinct().count();
        for (int letter = 0; letter < Math.min(used + 1, vendors); letter++) {
          longer.add(word + (char) ('a' + letter));
        }
      }
      words = longer;
    }
    return words;
  }

  static PlanContext context(String word, long segmentBytes) {
    return context(word, segmentBytes, "pieces");
  }

  /** A job in which every call takes {@code algorithm}. */
  static PlanContext context(String word, long segmentBytes, String algorithm) {
    AlgorithmRules rules =
        AlgorithmRules.parse(
            "all_reduce@A#reduce@A#broadcast@A#all_gather@A#reduce_scatter@A"
                .replace("A", algorithm));
    Clustering clustering =
        Clustering.of(
            IntStream.range(0, word.length())
                .mapToObj(
                    rank -> new RankSite(rank, word.substring(rank, rank + 1), "host", "device"))
                .toList());
    ImmutableList<Capabilities> capabilities =
        clustering.clusters().stream()
            .map(cluster -> EVERYTHING)
            .collect(ImmutableList.toImmutableList());
    return PlanContext.evenly(1, clustering, capabilities, new Tuning(segmentBytes, rules));
  }

  static List<Plan> plans(PlanContext context, CollectiveCall call) {
    Planner planner = new Planner(context);
    return IntStream.range(0, context.clustering().size())
        .mapToObj(rank -> planner.plan(call, rank))
        .toList();
  }
}
