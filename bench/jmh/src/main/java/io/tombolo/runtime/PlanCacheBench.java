// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The program of a call that was made before. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PlanCacheBench {
  private PlanCache cache;
  private long elements = 1024;

  @Setup
  public void fill() {
    List<RankSite> sites =
        List.of(new RankSite(0, "a", "host", "device"), new RankSite(1, "b", "host", "device"));
    Capabilities everything =
        Capabilities.of(
            EnumSet.allOf(Primitive.class),
            EnumSet.allOf(DataType.class),
            EnumSet.allOf(ReduceOp.class),
            Set.of());
    PlanContext context =
        PlanContext.evenly(
            1, Clustering.of(sites), ImmutableList.of(everything, everything), Tuning.DEFAULT);
    cache = new PlanCache(context, 0, false);
  }

  /** The call is made anew, as each call of a user is. */
  @Benchmark
  public Plan cached() {
    return cache.get(CollectiveCall.allReduce(elements, DataType.F32, ReduceOp.SUM, false));
  }
}
