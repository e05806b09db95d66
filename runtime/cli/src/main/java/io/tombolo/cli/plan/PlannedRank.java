// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Tuning;
import java.util.function.ToLongFunction;

/**
 * What a rank does: its plan, or, of one that would have millions of steps, the plan of its ends,
 * and one that is some segments longer. Segments are alike, so more of them add as much again.
 *
 * @param plan the rank's plan, or that of its first segments and the last one
 * @param longer the plan of {@link #MORE} segments more
 * @param omitted how many segments {@code plan} leaves out; 0 if it is the rank's
 */
record PlannedRank(Plan plan, Plan longer, int omitted) {
  private static final int FIRST = 2;

  /** So many are under way together, and what one takes depends on its place among them. */
  private static final int MORE = Tuning.SEGMENTS_IN_FLIGHT;

  /** All that {@code rank} does. */
  static PlannedRank whole(Planner planner, CollectiveCall call, int rank) {
    Plan plan = planner.plan(call, rank);
    return new PlannedRank(plan, plan, 0);
  }

  /** The ends of what {@code rank} does, which is more than they are. */
  static PlannedRank ends(Planner planner, CollectiveCall call, int rank) {
    return new PlannedRank(
        planner.plan(call, rank, FIRST),
        planner.plan(call, rank, FIRST + MORE),
        planner.segments(call, rank) - FIRST - 1);
  }

  /** Whether a call of so many segments has any between its ends. */
  static boolean hasMiddle(int segments) {
    return segments > FIRST + MORE + 1;
  }

  int rank() {
    return plan.rank();
  }

  /** What {@code figure}, a sum over all steps, is of all that the rank does. */
  long figure(ToLongFunction<Plan> figure) {
    long ends = figure.applyAsLong(plan);
    return omitted == 0 ? ends : ends + (figure.applyAsLong(longer) - ends) / MORE * omitted;
  }

  /** How often {@code longer} is as much longer as all is. */
  double times() {
    return (double) omitted / MORE;
  }

  /** Which segments were planned, as a sentence. */
  String sentence() {
    return "of %d segments, which are alike, the first %d and the last were planned, and the figures of all follow from these"
        .formatted(FIRST + omitted + 1, FIRST + MORE);
  }
}
