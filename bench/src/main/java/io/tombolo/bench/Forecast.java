// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.JobTime;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** What the cost model says of calls, to be held against what is measured. */
final class Forecast {
  /** Of more ranks, one's plan stands for all: planning them all would take longer than the run. */
  private static final int MAX_RANKS = 16;

  private final PlanContext context;

  /** With what the ranks agreed on, measured costs among it. */
  Forecast(PlanContext context) {
    this.context = context;
  }

  /** Whether it goes by costs that were measured of these ranks, and not by nominal ones. */
  boolean isCalibrated() {
    return !context.calibration().isNone();
  }

  /**
   * The {@link HierarchicalBound} of {@code call}, in µs, where the vendors' libraries took {@code
   * vendorUs}: a flat call asks none.
   */
  double boundUs(CollectiveCall call, CoreSpeed speed, double vendorUs) {
    double insideUs = new Planner(context).isFlat(call) ? 0 : vendorUs;
    return new HierarchicalBound(speed).timeUs(context.clustering(), call, insideUs);
  }

  /** What a call takes until the last rank is done, in µs; {@code calls} has it by rank. */
  double timeUs(IntFunction<CollectiveCall> calls) {
    int size = context.clustering().size();
    Planner planner = new Planner(context);
    List<Plan> plans =
        IntStream.range(0, size <= MAX_RANKS ? size : 1)
            .mapToObj(rank -> planner.plan(calls.apply(rank), rank))
            .toList();
    return JobTime.of(context, plans).totalPs() / 1e6;
  }
}
