// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotSame;
import static org.testng.Assert.assertSame;

import com.google.common.collect.ImmutableList;
import com.sun.management.ThreadMXBean;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Reach;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.io.Simulation;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.testng.annotations.Test;

public class PlanCacheTest {
  private static final int CALLS = 1_000;

  /** So many that threads meet in the middle of one, although that lasts for nanoseconds. */
  private static final int MANY_CALLS = 200_000;

  private static final int ROUNDS = 6;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final PlanContext context = context();
  private final PlanCache plans = new PlanCache(context, 0, false);

  private static PlanContext context() {
    Capabilities none = Capabilities.of(Set.of(), Set.of(), Set.of(), Set.of());
    return PlanContext.evenly(
        1,
        Clustering.of(Simulation.parse("1x(1xNVIDIA,1xAMD)").sites()),
        ImmutableList.of(none, none),
        Tuning.DEFAULT);
  }

  private static CollectiveCall sum(long count, boolean inPlace) {
    return CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, inPlace);
  }

  /** Calls that differ in one thing each. */
  private static List<CollectiveCall> calls() {
    return List.of(
        sum(8, false),
        sum(8, true),
        sum(9, true),
        CollectiveCall.allReduce(9, DataType.F32, ReduceOp.MAX, true),
        CollectiveCall.allReduce(9, DataType.F64, ReduceOp.MAX, true),
        CollectiveCall.allReduce(9, DataType.F64, ReduceOp.MAX, true)
            .reaching(Reach.NONE.to(true, false)));
  }

  @Test
  public void shouldFindTheRightPlanWhenCallsAlternate() {
    Planner planner = new Planner(context);
    for (CollectiveCall first : calls()) {
      for (CollectiveCall second : calls()) {
        for (CollectiveCall call : List.of(first, second, first, first, second)) {
          assertEquals(plans.get(call), planner.plan(call, 0), first + " and " + second);
        }
      }
    }
  }

  @Test
  public void shouldPlanACallOnce() {
    Plan plan = plans.get(sum(8, false));
    assertSame(plans.get(sum(8, false)), plan);
    assertNotSame(plans.get(sum(9, false)), plan);
    assertSame(plans.get(sum(8, false)), plan);
  }

  @Test
  public void shouldAllocateNothingForARepeatedCall() {
    CollectiveCall call = sum(8, false);
    CollectiveCall equal = sum(8, false);
    assertSame(plans.get(call), plans.get(equal));
    long least = LongStream.generate(() -> allocatedBy(equal)).limit(ROUNDS).min().orElseThrow();
    assertEquals(least / CALLS, 0, least + " bytes in " + CALLS + " calls");
  }

  private long allocatedBy(CollectiveCall call) {
    long self = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(self);
    for (int i = 0; i < CALLS; i++) {
      plans.get(call);
    }
    return threads.getThreadAllocatedBytes(self) - before;
  }

  /** Messages are planned from any thread. */
  @Test
  public void shouldFindTheRightPlanFromSeveralThreads() throws Exception {
    ExecutorService callers = Executors.newSingleThreadExecutor();
    CountDownLatch begins = new CountDownLatch(1);
    try {
      Future<?> other =
          callers.submit(
              () -> {
                begins.countDown();
                repeat(sum(8, false), sum(9, false));
              });
      begins.await();
      repeat(sum(9, false), sum(10, false));
      other.get();
    } finally {
      callers.shutdownNow();
    }
  }

  private void repeat(CollectiveCall first, CollectiveCall second) {
    for (int i = 0; i < MANY_CALLS; i++) {
      assertEquals(plans.get(first).call(), first);
      assertEquals(plans.get(second).call(), second);
    }
  }
}
