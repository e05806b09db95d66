// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.PlanProof;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import java.lang.management.ManagementFactory;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * What it took one rank to be ready for an all_reduce, times in nanoseconds.
 *
 * @param ranks size of the job
 * @param clusterNs from the ranks' sites to the context that all agree on, its facts included
 * @param planNs from the context to the program of the last rank
 * @param steps steps of that program
 * @param allocatedBytes what clustering and planning allocated
 * @param proveNs to plan for all ranks and prove the plans; 0 if that was not done
 * @param provenBytes bytes of the vector that was proven; 0 if that was not done
 */
record PlanningRun(
    int ranks,
    long clusterNs,
    long planNs,
    int steps,
    long allocatedBytes,
    long proveNs,
    long provenBytes) {
  private static final int RANKS_PER_HOST = 8;

  static PlanningRun of(int ranks, int clusters, long sizeBytes, boolean prove) {
    List<RankSite> sites =
        IntStream.range(0, ranks)
            .mapToObj(
                rank ->
                    new RankSite(
                        rank, "vendor" + rank % clusters, "host" + rank / RANKS_PER_HOST, "device"))
            .toList();
    long allocated = allocatedSoFar();
    long begin = System.nanoTime();
    PlanContext context = context(sites);
    context.facts();
    long clustered = System.nanoTime();
    Plan plan = new Planner(context).plan(call(sizeBytes), ranks - 1);
    long planned = System.nanoTime();
    allocated = allocatedSoFar() - allocated;
    CollectiveCall oneSegment = call(Math.min(sizeBytes, context.tuning().segmentBytes()));
    long provenBytes = prove ? PlanProof.prove(context, oneSegment, 0) : 0;
    long proveNs = prove ? System.nanoTime() - planned : 0;
    return new PlanningRun(
        ranks,
        clustered - begin,
        planned - clustered,
        plan.steps().size(),
        allocated,
        proveNs,
        provenBytes);
  }

  private static CollectiveCall call(long sizeBytes) {
    return CollectiveCall.allReduce(
        sizeBytes / DataType.F32.sizeBytes(), DataType.F32, ReduceOp.SUM, false);
  }

  private static PlanContext context(List<RankSite> sites) {
    Capabilities everything =
        Capabilities.of(
            EnumSet.allOf(Primitive.class),
            EnumSet.allOf(DataType.class),
            EnumSet.allOf(ReduceOp.class),
            Set.of());
    Clustering clustering = Clustering.of(sites);
    return PlanContext.evenly(
        1,
        clustering,
        clustering.clusters().stream()
            .map(cluster -> everything)
            .collect(ImmutableList.toImmutableList()),
        Tuning.DEFAULT);
  }

  /** Bytes this thread has allocated so far. */
  private static long allocatedSoFar() {
    return ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads
        ? threads.getCurrentThreadAllocatedBytes()
        : 0;
  }
}
