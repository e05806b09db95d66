// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How long plans are predicted to take from α + β·bytes of each resource; nothing is started.
 *
 * @param ranks the ranks whose plans were given, in that order
 */
public record JobTime(ImmutableList<RankTime> ranks) {

  /** What a rank has one of, and uses for one thing at a time. */
  public enum Unit {
    /** The vendor's library and its stream. */
    VENDOR("vendor calls"),
    /** The device's copy engine. */
    COPY("copies"),
    /** The host's arithmetic. */
    HOST("arithmetic of the host"),
    /** The way out to other clusters. */
    OUT("sending to other clusters"),
    /** The way in from other clusters. */
    IN("receiving from other clusters");

    private final String words;

    Unit(String words) {
      this.words = words;
    }

    /** What it does, for people. */
    public String words() {
      return words;
    }
  }

  /**
   * One rank's prediction.
   *
   * @param rank the rank
   * @param endPs when its last step ends, in picoseconds from the call
   * @param busyPs how long each unit is busy, in picoseconds
   */
  public record RankTime(int rank, long endPs, ImmutableMap<Unit, Long> busyPs) {
    private RankTime extended(RankTime longer, double times) {
      return new RankTime(
          rank,
          extended(endPs, longer.endPs, times),
          Maps.immutableEnumMap(
              Maps.transformEntries(
                  busyPs, (unit, busy) -> extended(busy, longer.busyPs.get(unit), times))));
    }

    private static long extended(long ps, long longerPs, double times) {
      return ps + Math.round((longerPs - ps) * times);
    }
  }

  /** The busiest unit of all. */
  public record Bottleneck(int rank, Unit unit, long busyPs) {}

  /**
   * Predicts {@code plans} of one call, one for each rank of the job. With the plan of one rank
   * alone, the others are taken to be as far as it is.
   */
  public static JobTime of(PlanContext context, List<Plan> plans) {
    return new Timeline(context, plans).run();
  }

  /**
   * The prediction of plans that are as much longer than these, {@code times} over, as those of
   * {@code longer} are; both are of the same ranks.
   */
  public JobTime extended(JobTime longer, double times) {
    return new JobTime(
        IntStream.range(0, ranks.size())
            .mapToObj(each -> ranks.get(each).extended(longer.ranks.get(each), times))
            .collect(ImmutableList.toImmutableList()));
  }

  /** When the last rank is done, in picoseconds. */
  public long totalPs() {
    return ranks.stream().mapToLong(RankTime::endPs).max().orElse(0);
  }

  /** The unit that is busy longest; the lowest rank's among equals. */
  public Bottleneck bottleneck() {
    Bottleneck most = new Bottleneck(0, Unit.VENDOR, 0);
    for (RankTime rank : ranks) {
      for (Unit unit : Unit.values()) {
        long busy = rank.busyPs().get(unit);
        most = busy > most.busyPs() ? new Bottleneck(rank.rank(), unit, busy) : most;
      }
    }
    return most;
  }
}
