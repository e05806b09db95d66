// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Jobs of several vendors whose ranks the host library joins. */
public class FlatPlanTest {
  private static final Capabilities EVERYTHING =
      Capabilities.of(
          EnumSet.allOf(Primitive.class),
          EnumSet.allOf(DataType.class),
          EnumSet.allOf(ReduceOp.class),
          Set.of(Capabilities.Flag.GROUP));

  private static PlanContext flat(String word, Capabilities engine, AlgorithmRules rules) {
    PlanContext apart = Worlds.context(word, 48);
    return new PlanContext(
        1,
        apart.clustering(),
        apart.capabilities(),
        apart.relays(),
        new Tuning(48, rules),
        apart.calibration(),
        Optional.of(engine));
  }

  private static PlanContext flat(String word) {
    return flat(word, EVERYTHING, AlgorithmRules.NONE);
  }

  @DataProvider
  public Object[][] worlds() {
    return new Object[][] {{"aab"}, {"aba"}, {"aabbc"}};
  }

  @Test(dataProvider = "worlds")
  public void shouldHaveTheHostLibraryDoWhatItCanInOneProvenCall(String word) {
    PlanContext context = flat(word);
    int flat = 0;
    for (long count : new long[] {0, 7}) {
      for (List<CollectiveCall> calls : Calls.all(word.length(), count)) {
        List<Plan> plans = Worlds.plans(context, calls);
        PlanVerifier.verify(context.clustering(), plans);
        if (new Planner(context).isFlat(calls.get(0))) {
          flat++;
          plans.forEach(FlatPlanTest::requireOneCall);
        }
      }
    }
    assertTrue(flat > 30, "only " + flat + " calls were flat");
  }

  private static void requireOneCall(Plan plan) {
    long calls =
        plan.steps().stream()
            .filter(step -> Resource.of(step.action()).kind() == Resource.Kind.FLAT)
            .count();
    assertEquals(calls, 1, plan.toString());
    assertEquals(plan.crossBytes(), 0, plan.toString());
    assertEquals(plan.stageElements(), 0, plan.toString());
  }

  @Test
  public void shouldGoBetweenClustersWhereTheEngineDoesNotServe() {
    Capabilities noGather = EVERYTHING.without(Set.of(Primitive.ALL_GATHER));
    Planner planner = new Planner(flat("aab", noGather, AlgorithmRules.NONE));
    assertTrue(planner.isFlat(sum()));
    assertFalse(planner.isFlat(gather(new Layout.Even(4))));
    Planner all = new Planner(flat("aab"));
    assertTrue(all.isFlat(gather(new Layout.Even(4))));
    assertFalse(all.isFlat(gather(Layout.Uneven.packed(1, 2, 3))), "blocks of any sizes");
    assertFalse(all.isFlat(gather(new Layout.Even(0))), "nothing to do");
    assertFalse(new Planner(Worlds.context("aab", 48)).isFlat(sum()), "no host library");
  }

  /** A library's call that is queued wakes a thread; messages of the rank's own do not. */
  @Test
  public void shouldExchangeShortVectorsDirectlyWhereNoRankHasALibraryToAsk() {
    Planner pair = new Planner(flat("ab"));
    assertFalse(pair.isFlat(sum(4096)));
    assertTrue(pair.isFlat(sum(4097)));
    assertTrue(new Planner(flat("aab")).isFlat(sum(1)));
  }

  @Test
  public void shouldGoTheWayThatTheUserWishes() {
    AlgorithmRules rules = AlgorithmRules.parse("all_reduce:0-1k@pieces");
    Planner planner = new Planner(flat("aab", EVERYTHING, rules));
    assertFalse(planner.isFlat(sum()));
    assertTrue(planner.plan(sum(), 0).crossBytes() > 0);
    assertTrue(planner.isFlat(gather(new Layout.Even(4))), "no wish about this one");
  }

  @Test
  public void shouldTellRanksApartThatWouldPlanDifferently() {
    assertFalse(flat("ab").facts().equals(Worlds.context("ab", 48).facts()));
  }

  /** What one rank does otherwise than the others, the proof must find. */
  @Test
  public void shouldRejectACallThatNotAllRanksMake() {
    PlanContext context = flat("aab");
    List<Plan> plans = Worlds.plans(context, sum());
    Plan between = new Planner(Worlds.context("aab", 48)).plan(sum(), 2);
    assertThrows(
        PlanDefect.class,
        () ->
            PlanVerifier.verify(
                context.clustering(), List.of(plans.get(0), plans.get(1), between)));
    assertThrows(
        PlanDefect.class,
        () ->
            PlanVerifier.verify(
                context.clustering(),
                List.of(plans.get(0), plans.get(1), inItsCluster(plans.get(2)))));
  }

  private static Plan inItsCluster(Plan plan) {
    Action.IntraCall call = (Action.IntraCall) plan.steps().get(0).action();
    Action.IntraCall own =
        new Action.IntraCall(call.primitive(), call.input(), call.output(), call.op(), call.root());
    Step step = new Step(0, own, plan.steps().get(0).after());
    return new Plan(
        plan.call(),
        plan.rank(),
        plan.scheme(),
        ImmutableList.of(step),
        0,
        0,
        plan.intraBytes(),
        0);
  }

  private static CollectiveCall sum() {
    return sum(100);
  }

  private static CollectiveCall sum(long count) {
    return CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false);
  }

  private static CollectiveCall gather(Layout layout) {
    Collective collective =
        layout instanceof Layout.Even ? Collective.ALL_GATHER : Collective.ALL_GATHER_V;
    return CollectiveCall.move(collective, layout, DataType.F32, 0, false);
  }
}
