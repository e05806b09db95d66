// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.jmh;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The last rank's program of an all_reduce of 16 MiB, from a context that is there already. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class PlanningBench {
  private static final int RANKS_PER_HOST = 8;
  private static final long ELEMENTS = 4L << 20;

  @Param({"8", "512"})
  private int ranks;

  private PlanContext context;
  private CollectiveCall call;

  @Setup
  public void agree() {
    List<RankSite> sites = IntStream.range(0, ranks).mapToObj(PlanningBench::site).toList();
    Clustering clustering = Clustering.of(sites);
    Capabilities everything =
        Capabilities.of(
            EnumSet.allOf(Primitive.class),
            EnumSet.allOf(DataType.class),
            EnumSet.allOf(ReduceOp.class),
            Set.of());
    context =
        PlanContext.evenly(
            1,
            clustering,
            clustering.clusters().stream()
                .map(cluster -> everything)
                .collect(ImmutableList.toImmutableList()),
            Tuning.DEFAULT);
    call = CollectiveCall.allReduce(ELEMENTS, DataType.F32, ReduceOp.SUM, false);
  }

  private static RankSite site(int rank) {
    return new RankSite(rank, "vendor" + rank % 2, "host" + rank / RANKS_PER_HOST, "device");
  }

  @Benchmark
  public Plan cold() {
    return new Planner(context).plan(call, ranks - 1);
  }
}
