// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.JobContext;
import io.tombolo.runtime.MovingOutlook;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.JobTime;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.PlanProof;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.topology.calibration.Calibration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * The plans of a job that need not exist, as that job would make them if nothing was measured of
 * it: of all its ranks, or of some where they are many, as {@link PlannedRanks} chooses them; and
 * whole, or of their ends where they are long.
 *
 * @param context what the ranks would agree on
 * @param outlook who would move what
 * @param call the operation
 * @param ranks the planned ranks, ascending
 */
record PlannedJob(
    PlanContext context, MovingOutlook outlook, CollectiveCall call, List<PlannedRank> ranks) {
  /** The proof relates all pairs of steps of all ranks; more ranks take too long to wait for. */
  private static final int MAX_PROVEN_RANKS = 16;

  /** Plans of more segments, times ranks, times their peers take seconds and gigabytes. */
  private static final long MAX_WHOLE = 4_000_000;

  /** The job of {@code ranks}, whose call is {@code call} of their number. */
  static PlannedJob of(
      List<RankDescriptor> ranks, IntFunction<CollectiveCall> call, Map<String, String> settings) {
    return of(ranks, call, settings, OptionalInt.empty());
  }

  /** As the other; {@code asked} is among the planned ranks. */
  static PlannedJob of(
      List<RankDescriptor> ranks,
      IntFunction<CollectiveCall> call,
      Map<String, String> settings,
      OptionalInt asked) {
    PlanContext context = JobContext.of(ranks, settings, Calibration.none());
    MovingOutlook outlook = new MovingOutlook(context, settings);
    CollectiveCall wanted = call.apply(ranks.size());
    List<Integer> some = PlannedRanks.of(context.clustering(), wanted, asked);
    Planner planner = new Planner(context);
    boolean whole = areShort(planner.segments(wanted, 0), (long) some.size() * ranks.size());
    return new PlannedJob(
        context,
        outlook,
        wanted,
        some.parallelStream()
            .map(rank -> planned(planner, wanted.reaching(outlook.reach(rank)), rank, whole))
            .toList());
  }

  private static PlannedRank planned(
      Planner planner, CollectiveCall call, int rank, boolean whole) {
    return whole ? PlannedRank.whole(planner, call, rank) : PlannedRank.ends(planner, call, rank);
  }

  private static boolean areShort(int segments, long pairs) {
    return !PlannedRank.hasMiddle(segments) || segments * pairs <= MAX_WHOLE;
  }

  /** Number of ranks, planned or not. */
  int size() {
    return context.clustering().size();
  }

  /** Whether all ranks are planned. */
  boolean isWhole() {
    return ranks.size() == size();
  }

  /** Whether the ranks' plans have more segments than were planned. */
  boolean areEnds() {
    return ranks.get(0).omitted() > 0;
  }

  /** What {@code rank} does, which is among the planned ones. */
  PlannedRank rank(int rank) {
    return ranks.stream().filter(each -> each.rank() == rank).findFirst().orElseThrow();
  }

  /** How long it takes; of a rank whose peers are not planned, as if they were as far as it is. */
  JobTime time() {
    JobTime ends = time(PlannedRank::plan);
    return areEnds() ? ends.extended(time(PlannedRank::longer), ranks.get(0).times()) : ends;
  }

  private JobTime time(Function<PlannedRank, Plan> plan) {
    List<Plan> plans = ranks.stream().map(plan).toList();
    return isWhole()
        ? JobTime.of(context, plans)
        : new JobTime(
            plans.parallelStream()
                .flatMap(each -> JobTime.of(context, List.of(each)).ranks().stream())
                .collect(ImmutableList.toImmutableList()));
  }

  /** Proves the plans right; the bytes that the proof is about, none if there are many ranks. */
  OptionalLong prove() {
    return size() > MAX_PROVEN_RANKS
        ? OptionalLong.empty()
        : OptionalLong.of(PlanProof.prove(context, call, 0, outlook::reach));
  }
}
