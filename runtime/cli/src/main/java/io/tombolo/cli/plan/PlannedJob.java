package io.tombolo.cli.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Collective;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.PlanVerifier;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The plans of all ranks of a job that need not exist, whose vendors' libraries can do everything.
 *
 * @param context what the ranks would agree on
 * @param call the operation
 * @param plans by rank
 */
record PlannedJob(PlanContext context, CollectiveCall call, List<Plan> plans) {
  /**
   * The proof relates every pair of steps; a vector of this many segments goes through all phases.
   */
  private static final int PROVEN_SEGMENTS = 4;

  private static final Capabilities EVERYTHING =
      Capabilities.of(
          EnumSet.allOf(Collective.class),
          EnumSet.allOf(DataType.class),
          EnumSet.allOf(ReduceOp.class),
          Set.of());

  static PlannedJob of(ClusterSpec spec, CollectiveCall call) {
    Clustering clustering =
        Clustering.of(
            IntStream.range(0, spec.size())
                .mapToObj(
                    rank -> new RankSite(rank, spec.vendors().get(rank), "imagined", "imagined"))
                .toList());
    ImmutableList<Capabilities> capabilities =
        clustering.clusters().stream()
            .map(cluster -> EVERYTHING)
            .collect(ImmutableList.toImmutableList());
    PlanContext context = new PlanContext(1, clustering, capabilities, Tuning.DEFAULT);
    return new PlannedJob(context, call, plansOf(context, call));
  }

  /**
   * Proves the plans right, or, if the vector is long, those for its first segments; the bytes
   * proven.
   */
  long prove() {
    long most = PROVEN_SEGMENTS * context.tuning().segmentBytes() / call.type().sizeBytes();
    CollectiveCall proven =
        CollectiveCall.allReduce(Math.min(call.count(), most), call.type(), call.op(), false);
    PlanVerifier.verify(context.clustering(), plansOf(context, proven));
    return proven.sizeBytes();
  }

  private static List<Plan> plansOf(PlanContext context, CollectiveCall call) {
    Planner planner = new Planner(context);
    return IntStream.range(0, context.clustering().size())
        .mapToObj(rank -> planner.plan(call, rank))
        .toList();
  }

  JobSummary summary() {
    return JobSummary.of(this);
  }
}
