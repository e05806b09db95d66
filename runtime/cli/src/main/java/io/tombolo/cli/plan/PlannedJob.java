package io.tombolo.cli.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Collective;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.plan.AlgorithmRules;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.PlanProof;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The plans of all ranks of a job that need not exist, whose vendors' libraries can do everything.
 * Each cluster is on a host of its own.
 *
 * @param context what the ranks would agree on
 * @param call the operation
 * @param plans by rank
 */
record PlannedJob(PlanContext context, CollectiveCall call, List<Plan> plans) {
  /** The proof relates all pairs of steps of all ranks; more ranks take too long to wait for. */
  private static final int MOST_PROVEN_RANKS = 16;

  private static final Capabilities EVERYTHING =
      Capabilities.of(
          EnumSet.allOf(Collective.class),
          EnumSet.allOf(DataType.class),
          EnumSet.allOf(ReduceOp.class),
          EnumSet.of(Capabilities.Flag.GROUP));

  /** The job of {@code spec}, whose call is {@code call} of the number of its ranks. */
  static PlannedJob of(ClusterSpec spec, IntFunction<CollectiveCall> call, AlgorithmRules rules) {
    Clustering clustering =
        Clustering.of(
            IntStream.range(0, spec.size())
                .mapToObj(rank -> site(rank, spec.vendors().get(rank)))
                .toList());
    ImmutableList<Capabilities> capabilities =
        clustering.clusters().stream()
            .map(cluster -> EVERYTHING)
            .collect(ImmutableList.toImmutableList());
    Tuning tuning = new Tuning(Tuning.DEFAULT.segmentBytes(), rules);
    PlanContext context = PlanContext.evenly(1, clustering, capabilities, tuning);
    CollectiveCall wanted = call.apply(spec.size());
    return new PlannedJob(context, wanted, PlanProof.plans(context, wanted));
  }

  private static RankSite site(int rank, String vendor) {
    return new RankSite(rank, vendor, "host of " + vendor, "imagined");
  }

  /** Proves the plans right; the bytes that the proof is about, none if there are many ranks. */
  OptionalLong prove() {
    return plans.size() > MOST_PROVEN_RANKS
        ? OptionalLong.empty()
        : OptionalLong.of(PlanProof.prove(context, call, 0));
  }
}
