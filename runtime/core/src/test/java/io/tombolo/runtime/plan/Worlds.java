// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import com.google.common.collect.Maps;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import io.tombolo.topology.calibration.Calibration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Small jobs for tests: a job is a word with one letter, its vendor, for each rank. */
final class Worlds {
  private static final Capabilities EVERYTHING =
      Capabilities.of(
          EnumSet.allOf(Primitive.class),
          EnumSet.allOf(DataType.class),
          EnumSet.allOf(ReduceOp.class),
          Set.of(Capabilities.Flag.GROUP));

  /** What the libraries of a job declare, and its NICs reach. */
  enum Profile {
    /** Every library does everything; NICs reach no device. */
    COMPLETE {
      @Override
      Capabilities of(int cluster) {
        return EVERYTHING;
      }

      @Override
      Reach reach(int rank, int ranks) {
        return Reach.NONE;
      }
    },
    /** Every library does everything, NICs reach all there is, and some devices combine. */
    REACHED {
      @Override
      Capabilities of(int cluster) {
        return EVERYTHING;
      }

      @Override
      Reach reach(int rank, int ranks) {
        return rank % 2 == 0 ? Calls.everywhere(ranks) : Calls.combining(ranks);
      }
    },
    /**
     * Every library lacks something else, so that some ranks stand for themselves; some NICs reach
     * no device, some only read it, and some reach it on the way to every other rank.
     */
    PATCHY {
      @Override
      Reach reach(int rank, int ranks) {
        return switch (rank % 3) {
          case 0 -> Reach.NONE;
          case 1 -> Calls.outwards(ranks);
          default -> Calls.everyOther(ranks);
        };
      }

      @Override
      Capabilities of(int cluster) {
        return switch (cluster % 3) {
          case 0 ->
              Capabilities.of(
                  EVERYTHING.primitives(),
                  EVERYTHING.types(),
                  EnumSet.complementOf(EnumSet.of(ReduceOp.AVG)),
                  Set.of());
          case 1 -> EVERYTHING.without(Set.of(Primitive.REDUCE_SCATTER, Primitive.SEND));
          default -> EVERYTHING.without(Set.of(Primitive.ALL_GATHER));
        };
      }
    };

    /** What the library of cluster number {@code cluster} declares. */
    abstract Capabilities of(int cluster);

    /** What the NIC of {@code rank} reaches. */
    abstract Reach reach(int rank, int ranks);

    /** {@code calls}, each on memory that its rank's NIC reaches so. */
    List<CollectiveCall> reaching(List<CollectiveCall> calls) {
      int ranks = calls.size();
      return IntStream.range(0, ranks)
          .mapToObj(rank -> calls.get(rank).reaching(reach(rank, ranks)))
          .toList();
    }
  }

  private static final List<Collective> CHOOSING =
      List.of(
          Collective.ALL_REDUCE,
          Collective.REDUCE,
          Collective.BROADCAST,
          Collective.ALL_GATHER,
          Collective.REDUCE_SCATTER);

  private static final Map<Algorithm, AlgorithmRules> RULES =
      Maps.toMap(EnumSet.allOf(Algorithm.class), Worlds::always);

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
    return context(word, segmentBytes, Algorithm.PIECES, Profile.COMPLETE);
  }

  /** A job in which every call that can takes {@code algorithm}, and all ranks relay. */
  static PlanContext context(String word, long segmentBytes, Algorithm algorithm, Profile profile) {
    Clustering clustering = clustering(word);
    return context(
        clustering,
        segmentBytes,
        algorithm,
        profile,
        clustering.clusters().stream().map(cluster -> Relays.all(cluster.size())).toList());
  }

  static PlanContext context(
      Clustering clustering,
      long segmentBytes,
      Algorithm algorithm,
      Profile profile,
      List<Relays> relays) {
    return new PlanContext(
        1,
        clustering,
        clustering.clusters().stream()
            .map(cluster -> profile.of(cluster.index()))
            .collect(ImmutableList.toImmutableList()),
        ImmutableList.copyOf(relays),
        new Tuning(segmentBytes, RULES.get(algorithm)),
        Calibration.none());
  }

  static Clustering clustering(String word) {
    return Clustering.of(
        IntStream.range(0, word.length())
            .mapToObj(rank -> new RankSite(rank, word.substring(rank, rank + 1), "host", "device"))
            .toList());
  }

  /** Every choice of relays: any members but none, in every cluster. */
  static List<List<Relays>> relays(Clustering clustering) {
    return Lists.cartesianProduct(
        clustering.clusters().stream().map(cluster -> choices(cluster.size())).toList());
  }

  private static List<Relays> choices(int members) {
    return IntStream.range(1, 1 << members)
        .mapToObj(
            chosen ->
                Relays.weighted(
                    IntStream.range(0, members)
                        .mapToLong(member -> (chosen >> member) & 1)
                        .toArray()))
        .toList();
  }

  /** What {@code algorithm} does not serve goes directly. */
  private static AlgorithmRules always(Algorithm algorithm) {
    return new AlgorithmRules(
        CHOOSING.stream()
            .map(
                each ->
                    new AlgorithmRules.Rule(
                        each,
                        0,
                        Long.MAX_VALUE,
                        algorithm.serves(each) ? algorithm : Algorithm.DIRECT))
            .collect(ImmutableList.toImmutableList()));
  }

  /** The plans of all ranks, who all make the same call. */
  static List<Plan> plans(PlanContext context, CollectiveCall call) {
    return plans(context, Collections.nCopies(context.clustering().size(), call));
  }

  /** The plans of all ranks, each with its own view of the call. */
  static List<Plan> plans(PlanContext context, List<CollectiveCall> calls) {
    Planner planner = new Planner(context);
    return IntStream.range(0, calls.size())
        .mapToObj(rank -> planner.plan(calls.get(rank), rank))
        .toList();
  }
}
