// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import io.tombolo.runtime.JobContext;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.PlanProof;
import io.tombolo.topology.calibration.Calibration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.IntFunction;

/**
 * The plans of all ranks of a job that need not exist, as that job would make them if nothing was
 * measured of it.
 *
 * @param context what the ranks would agree on
 * @param call the operation
 * @param plans by rank
 */
record PlannedJob(PlanContext context, CollectiveCall call, List<Plan> plans) {
  /** The proof relates all pairs of steps of all ranks; more ranks take too long to wait for. */
  private static final int MAX_PROVEN_RANKS = 16;

  /** The job of {@code ranks}, whose call is {@code call} of their number. */
  static PlannedJob of(
      List<RankDescriptor> ranks, IntFunction<CollectiveCall> call, Map<String, String> settings) {
    PlanContext context = JobContext.of(ranks, settings, Calibration.none());
    CollectiveCall wanted = call.apply(ranks.size());
    return new PlannedJob(context, wanted, PlanProof.plans(context, wanted));
  }

  /** Proves the plans right; the bytes that the proof is about, none if there are many ranks. */
  OptionalLong prove() {
    return plans.size() > MAX_PROVEN_RANKS
        ? OptionalLong.empty()
        : OptionalLong.of(PlanProof.prove(context, call, 0));
  }
}
