// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.RangeSet;
import com.google.common.collect.TreeRangeSet;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Where NICs reach devices, vectors touch the stage only where they are combined. */
public class StagingTest {
  /** Elements of a vector; divides by all that a lane is cut into. */
  private static final long COUNT = 3_600;

  private static final Reduction SUM = new Reduction.By(ReduceOp.SUM);

  @DataProvider
  public Object[][] worlds() {
    return new Object[][] {{"ab"}, {"aabb"}, {"abc"}, {"aabbcc"}, {"abababbb"}};
  }

  @Test(dataProvider = "worlds")
  public void shouldStageNothingOfABroadcast(String word) {
    Reduction none = new Reduction.None();
    for (Plan plan : plans(word, Algorithm.PIECES, Collective.BROADCAST, none, Calls::everywhere)) {
      assertEquals(staged(plan), 0, plan.toString());
    }
  }

  /** In several segments, more than are in flight at once. */
  @Test(dataProvider = "worlds")
  public void shouldReserveWhatABroadcastStagesAndNoMore(String word) {
    CollectiveCall call =
        CollectiveCall.vector(
            Collective.BROADCAST, COUNT, DataType.F32, new Reduction.None(), 0, false);
    for (Plan plan : Worlds.plans(Worlds.context(word, COUNT), call)) {
      RangeSet<Long> used = TreeRangeSet.create();
      plan.steps().stream()
          .flatMap(
              step ->
                  Stream.concat(onStage(step.action().reads()), onStage(step.action().writes())))
          .forEach(used::add);
      long elements =
          used.asRanges().stream()
              .mapToLong(each -> each.upperEndpoint() - each.lowerEndpoint())
              .sum();
      assertEquals(plan.stageElements(), elements, plan.toString());
    }
  }

  private static Stream<com.google.common.collect.Range<Long>> onStage(List<Range> ranges) {
    return ranges.stream()
        .filter(range -> range.space() == Space.STAGE)
        .map(range -> com.google.common.collect.Range.closedOpen(range.offset(), range.end()));
  }

  /** Each cluster copies the pieces that it owns to the stage, and back. */
  @Test(dataProvider = "worlds")
  public void shouldStageAnAllReducesOwnPieces(String word) {
    long clusters = word.chars().distinct().count();
    List<Plan> plans = plans(word, Algorithm.PIECES, Collective.ALL_REDUCE, SUM, Calls::everywhere);
    long staged = plans.stream().mapToLong(StagingTest::staged).sum();
    assertEquals(staged, clusters * 2 * COUNT / clusters, word);
  }

  /** What comes is copied from the stage, what goes is not copied to it. */
  @Test(dataProvider = "worlds")
  public void shouldStageWhatComesWhereNicsOnlyRead(String word) {
    long clusters = word.chars().distinct().count();
    List<Plan> plans = plans(word, Algorithm.PIECES, Collective.ALL_REDUCE, SUM, Calls::outwards);
    long staged = plans.stream().mapToLong(StagingTest::staged).sum();
    assertEquals(staged, clusters * (COUNT / clusters + COUNT), word);
  }

  @Test(dataProvider = "worlds")
  public void shouldStageAReduceInTheRootsClusterAlone(String word) {
    for (Plan plan : plans(word, Algorithm.PIECES, Collective.REDUCE, SUM, Calls::everywhere)) {
      boolean combines = word.charAt(plan.rank()) == word.charAt(0);
      assertEquals(staged(plan) > 0, combines, plan.toString());
    }
  }

  @Test(dataProvider = "worlds")
  public void shouldStageNothingWhereDevicesCombine(String word) {
    for (Collective each : List.of(Collective.ALL_REDUCE, Collective.REDUCE)) {
      for (Plan plan : plans(word, Algorithm.PIECES, each, SUM, Calls::combining)) {
        assertEquals(staged(plan), 0, plan.toString());
      }
    }
    CollectiveCall scattered =
        CollectiveCall.reduceScatter(new Layout.Even(COUNT), DataType.F32, SUM, false);
    for (Plan plan :
        Worlds.plans(
            Worlds.context(word, 1 << 20), scattered.reaching(Calls.combining(word.length())))) {
      assertEquals(staged(plan), 0, plan.toString());
    }
  }

  /** The host divides: an average is the same, wherever devices combine. */
  @Test(dataProvider = "worlds")
  public void shouldStageWhatIsDivided(String word) {
    Reduction average = new Reduction.By(ReduceOp.AVG);
    assertEquals(
        stagedByAll(word, average, Calls::combining), stagedByAll(word, SUM, Calls::everywhere));
  }

  private static long stagedByAll(String word, Reduction reduction, IntFunction<Reach> reach) {
    return plans(word, Algorithm.PIECES, Collective.ALL_REDUCE, reduction, reach).stream()
        .mapToLong(StagingTest::staged)
        .sum();
  }

  /** Who is spoken for combines nothing. */
  @Test
  public void shouldStageNothingWhereAnotherSpeaksInDoubling() {
    List<Plan> plans =
        plans("abc", Algorithm.DOUBLING, Collective.ALL_REDUCE, SUM, Calls::everywhere);
    assertEquals(
        plans.stream().map(StagingTest::staged).toList(), List.of(2 * COUNT, 0L, 2 * COUNT));
  }

  /** Each rank would multiply by a factor of its own: that is done on the stage. */
  @Test
  public void shouldStageWhatIsScaledBeforeItLeaves() {
    Reduction scaled = new Reduction.PreMultiplied(0.5);
    List<Plan> plans =
        plans("ab", Algorithm.PIECES, Collective.ALL_REDUCE, scaled, Calls::everywhere);
    for (Plan plan : plans) {
      assertEquals(staged(plan), COUNT + COUNT / 2, plan.toString());
    }
  }

  private static List<Plan> plans(
      String word,
      Algorithm algorithm,
      Collective collective,
      Reduction reduction,
      IntFunction<Reach> reach) {
    return Worlds.plans(
        Worlds.context(word, 1 << 20, algorithm, Worlds.Profile.COMPLETE),
        CollectiveCall.vector(collective, COUNT, DataType.F32, reduction, 0, false)
            .reaching(reach.apply(word.length())));
  }

  /** Elements that {@code plan} copies to and from the stage. */
  private static long staged(Plan plan) {
    return plan.steps().stream()
        .map(Step::action)
        .filter(Action.Copy.class::isInstance)
        .map(Action.Copy.class::cast)
        .filter(copy -> copy.from().space() == Space.STAGE || copy.to().space() == Space.STAGE)
        .mapToLong(copy -> copy.to().length())
        .sum();
  }
}
