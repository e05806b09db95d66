// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.util.List;
import org.testng.annotations.Test;

public class JobTimeTest {
  private static final long MICROSECOND = 1_000_000;

  @Test
  public void shouldAddUpACopyThatIsAlone() {
    PlanContext context = Worlds.context("a", 1 << 20);
    CollectiveCall call = sum(5_000);
    JobTime time = JobTime.of(context, List.of(new Planner(context).plan(call, 0)));
    assertEquals(time.totalPs(), 8 * MICROSECOND + 20_000 * 50); // α of a copy, 20 000 MB/s
    assertEquals(time.bottleneck().unit(), JobTime.Unit.COPY);
  }

  @Test
  public void shouldOccupyBothEndsAndWaitForTheLatency() {
    PlanContext context = Worlds.context("ab", 1 << 20, Algorithm.DIRECT, Worlds.Profile.COMPLETE);
    CollectiveCall call =
        CollectiveCall.vector(
            Collective.BROADCAST, 5_000, DataType.F32, new Reduction.None(), 0, true);
    long copy = 8 * MICROSECOND + 20_000 * 50;
    long message = 2 * MICROSECOND + 20_000 * 100;
    assertEquals(JobTime.of(context, Worlds.plans(context, call)).totalPs(), 2 * copy + message);
  }

  /** As the tuner reckons, who would else choose what the forecast says is slower. */
  @Test
  public void shouldStartMessagesOneAfterTheOther() {
    PlanContext context =
        Worlds.context("abcd", 1 << 20, Algorithm.DIRECT, Worlds.Profile.COMPLETE);
    CollectiveCall call =
        CollectiveCall.vector(
            Collective.BROADCAST, 5_000, DataType.F32, new Reduction.None(), 0, true);
    long copy = 8 * MICROSECOND + 20_000 * 50;
    long message = 2 * MICROSECOND + 20_000 * 100;
    assertEquals(
        JobTime.of(context, Worlds.plans(context, call)).totalPs(), 2 * copy + 3 * message);
  }

  @Test
  public void shouldEndNoEarlierThanItsBusiestUnit() {
    for (String word : Worlds.words(4, 3)) {
      for (List<CollectiveCall> calls : Calls.all(4, 1_000)) {
        PlanContext context = Worlds.context(word, 4_096);
        JobTime time = JobTime.of(context, Worlds.plans(context, calls));
        assertTrue(time.totalPs() >= time.bottleneck().busyPs(), word + " " + calls);
      }
    }
  }

  @Test
  public void shouldPredictSymmetricJobsFromOneRankAlone() {
    PlanContext context = Worlds.context("aabb", 1 << 20);
    List<Plan> plans = Worlds.plans(context, sum(1 << 20));
    long alone = JobTime.of(context, plans.subList(1, 2)).totalPs();
    long together = JobTime.of(context, plans).totalPs();
    assertTrue(Math.abs(alone - together) < together / 10, alone + " ps, " + together + " ps");
  }

  @Test
  public void shouldOverlapSegments() {
    CollectiveCall call = sum(4 << 20);
    PlanContext whole = Worlds.context("aabb", 64 << 20);
    PlanContext cut = Worlds.context("aabb", 2 << 20);
    long atOnce = JobTime.of(whole, Worlds.plans(whole, call)).totalPs();
    long pipelined = JobTime.of(cut, Worlds.plans(cut, call)).totalPs();
    assertTrue(pipelined < atOnce * 8 / 10, pipelined + " ps, " + atOnce + " ps");
  }

  private static CollectiveCall sum(long count) {
    return CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false);
  }
}
