// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.calibration.MeasuredPath;
import io.tombolo.topology.calibration.PathKind;
import io.tombolo.topology.machine.LinkCost;
import java.time.Instant;
import java.util.Map;
import org.testng.annotations.Test;

public class CostTunerTest {

  @Test
  public void shouldSendShortVectorsAtOnceAndLongOnesInPieces() {
    PlanContext context = context("aaabbbbb", Tuning.DEFAULT, Calibration.none());
    assertEquals(choice(context, 64), Algorithm.DIRECT);
    assertEquals(choice(context, 1 << 24), Algorithm.PIECES);
  }

  @Test
  public void shouldDoubleWhereThatTakesFewerMessagesOneAfterTheOther() {
    Map<String, Algorithm> short64 =
        Map.of(
            "ab", Algorithm.DIRECT, // the same, and simpler
            "abc", Algorithm.DIRECT, // two messages; doubling has three in a row
            "abcd", Algorithm.DOUBLING,
            "aabbccddd", Algorithm.DOUBLING);
    short64.forEach(
        (word, algorithm) -> {
          PlanContext context = context(word, Tuning.DEFAULT, Calibration.none());
          assertEquals(choice(context, 64), algorithm, word);
          assertEquals(choice(context, 1 << 24), Algorithm.PIECES, word);
        });
  }

  @Test
  public void shouldPriceEachMessageAndEachCombinationOfDoubling() {
    long message = 2_000_000 + 4_096 * 100; // α and β of a message on one host
    long fold = 4_096 * 100;
    long once = 2 * 8_000_000 + 500_000; // copies to the stage and back; the host's α
    Map.of("abc", new int[] {3, 2}, "abcd", new int[] {2, 2}, "abcde", new int[] {4, 3})
        .forEach(
            (word, times) ->
                assertEquals(
                    CostTuner.estimatePs(
                        context(word, Tuning.DEFAULT, Calibration.none()),
                        sum(1_024),
                        Algorithm.DOUBLING),
                    once + times[0] * message + times[1] * fold,
                    word));
  }

  @Test
  public void shouldRefuseATunersChoiceThatDoesNotServe() {
    Tuner doubling = new Always(Algorithm.DOUBLING);
    PlanContext context =
        context("abc", new Tuning(4_096, AlgorithmRules.NONE, doubling), Calibration.none());
    assertEquals(choice(context, 1 << 20), Algorithm.DOUBLING);
    CollectiveCall broadcast =
        CollectiveCall.vector(
            Collective.BROADCAST, 16, DataType.F32, new Reduction.None(), 0, false);
    assertThrows(UsageException.class, () -> new Planner(context).algorithm(broadcast));
  }

  @Test
  public void shouldSwitchOnceAsVectorsGrow() {
    for (String word : new String[] {"ab", "aab", "aabbcc", "abcd", "aaabbbbbcc"}) {
      PlanContext context = context(word, Tuning.DEFAULT, Calibration.none());
      boolean pieces = false;
      for (long count = 64; count <= 1 << 26; count *= 2) {
        boolean now = choice(context, count) == Algorithm.PIECES;
        assertTrue(now || !pieces, word + " goes back to direct at " + count);
        pieces = now;
      }
      assertTrue(pieces, word);
    }
  }

  @Test
  public void shouldAgreeWithThePlayedPlansAtBothEnds() {
    for (String word : new String[] {"aabb", "aaabbbbb", "aabbcc"}) {
      for (long count : new long[] {256, 1 << 22}) {
        PlanContext context = context(word, Tuning.DEFAULT, Calibration.none());
        Algorithm chosen = choice(context, count);
        Algorithm other = chosen == Algorithm.DIRECT ? Algorithm.PIECES : Algorithm.DIRECT;
        assertTrue(
            played(word, chosen, count) <= played(word, other, count), word + " of " + count);
      }
    }
  }

  @Test
  public void shouldUseMeasuredFigures() {
    PlanContext nominal = context("aabb", Tuning.DEFAULT, Calibration.none());
    assertEquals(choice(nominal, 1 << 20), Algorithm.PIECES);
    PlanContext slow =
        context("aabb", Tuning.DEFAULT, fabric(new LinkCost(5_000_000_000L, 10_000)));
    assertEquals(choice(slow, 1 << 20), Algorithm.DIRECT);
  }

  @Test
  public void shouldLetRulesDecideBeforeTheTuner() {
    Tuner direct = new Always(Algorithm.DIRECT);
    AlgorithmRules rules = AlgorithmRules.parse("all_reduce:0-1k@pieces");
    PlanContext context = context("aabb", new Tuning(4_096, rules, direct), Calibration.none());
    assertEquals(choice(context, 16), Algorithm.PIECES);
    assertEquals(choice(context, 1 << 26), Algorithm.DIRECT);
    assertEquals(context.facts().get("tuning.tuner"), "always-direct");
  }

  @Test
  public void shouldNameTheTunersThereAre() {
    assertEquals(Tuning.from(Map.of("tuner", "cost")).tuner().name(), CostTuner.NAME);
    assertThrows(UsageException.class, () -> Tuning.from(Map.of("tuner", "nobody")));
  }

  @Test
  public void shouldAgreeOnFewFactsHoweverManyRanks() {
    String word = "aaaabbbb";
    int few = context(word, Tuning.DEFAULT, Calibration.none()).facts().size();
    PlanContext many = context(word.repeat(500), Tuning.DEFAULT, Calibration.none());
    assertEquals(many.facts().size(), few);
    assertTrue(many.facts().toString().length() < 10_000, "facts grow with the job");
  }

  private record Always(Algorithm algorithm) implements Tuner {
    @Override
    public String name() {
      return "always-" + algorithm.text();
    }

    @Override
    public Algorithm choose(PlanContext context, CollectiveCall call) {
      return algorithm;
    }
  }

  private static Algorithm choice(PlanContext context, long count) {
    return new Planner(context).algorithm(sum(count));
  }

  private static long played(String word, Algorithm algorithm, long count) {
    PlanContext context = Worlds.context(word, 2 << 20, algorithm, Worlds.Profile.COMPLETE);
    return JobTime.of(context, Worlds.plans(context, sum(count))).totalPs();
  }

  private static CollectiveCall sum(long count) {
    return CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false);
  }

  private static Calibration fabric(LinkCost cost) {
    return new Calibration(
        "key",
        "host",
        "a job",
        Instant.EPOCH,
        ImmutableList.of(new MeasuredPath(PathKind.FABRIC, "tcp", 0, 2, false, cost)));
  }

  private static PlanContext context(String word, Tuning tuning, Calibration calibration) {
    PlanContext world = Worlds.context(word, 1 << 20);
    return new PlanContext(
        1, world.clustering(), world.capabilities(), world.relays(), tuning, calibration);
  }
}
