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
import io.tombolo.runtime.plan.PlanProof;
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
                .mapToObj(rank -> site(rank, spec.vendors().get(rank)))
                .toList());
    ImmutableList<Capabilities> capabilities =
        clustering.clusters().stream()
            .map(cluster -> EVERYTHING)
            .collect(ImmutableList.toImmutableList());
    PlanContext context = PlanContext.evenly(1, clustering, capabilities, Tuning.DEFAULT);
    return new PlannedJob(context, call, PlanProof.plans(context, call));
  }

  private static RankSite site(int rank, String vendor) {
    return new RankSite(rank, vendor, "imagined", "imagined");
  }

  /** Proves the plans right; the bytes of the vector that the proof is about. */
  long prove() {
    return PlanProof.prove(context, call);
  }

  JobSummary summary() {
    return JobSummary.of(this);
  }
}
