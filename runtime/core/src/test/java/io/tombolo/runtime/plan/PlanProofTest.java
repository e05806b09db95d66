// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.DataType;
import io.tombolo.base.errors.UsageException;
import java.util.List;
import java.util.Random;
import org.testng.annotations.Test;

public class PlanProofTest {
  private static final long SEED = 20261121;

  @Test
  public void shouldProveFromOneRanksCountsAlone() {
    Random random = new Random(SEED);
    for (String word : List.of("ab", "aab", "abab", "aabbc")) {
      PlanContext context = Worlds.context(word, 8);
      for (Collective each : List.of(Collective.ALL_TO_ALL_V, Collective.EXCHANGE)) {
        List<CollectiveCall> calls = Calls.pairwise(each, word.length(), 9, random);
        for (int rank = 0; rank < word.length(); rank++) {
          long sizeBytes = calls.get(rank).sizeBytes(rank, word.length());
          assertEquals(PlanProof.prove(context, calls.get(rank), rank) > 0, sizeBytes > 0);
        }
      }
    }
  }

  @Test
  public void shouldProveOnlyTheFirstSegmentsOfLongBlocks() {
    PlanContext context = Worlds.context("aab", 48);
    Layout blocks = Layout.Uneven.packed(1L << 40, 3, 1L << 41);
    CollectiveCall call =
        CollectiveCall.move(Collective.ALL_GATHER_V, blocks, DataType.F32, 0, false);
    assertTrue(PlanProof.prove(context, call, 1) > 0);
  }

  @Test
  public void shouldChooseAlikeOnAllRanksWhereverTheLongBlockIs() {
    AlgorithmRules rules = AlgorithmRules.parse("all_gather:0-1k@direct#all_gather@pieces");
    PlanContext even = Worlds.context("aab", 48);
    PlanContext context =
        new PlanContext(
            1,
            even.clustering(),
            even.capabilities(),
            even.relays(),
            new Tuning(48, rules),
            even.calibration());
    for (long[] counts : new long[][] {{0, 0, 3_000}, {3_000, 0, 0}, {1_000, 1_000, 1_000}}) {
      CollectiveCall call =
          CollectiveCall.move(
              Collective.ALL_GATHER_V, Layout.Uneven.packed(counts), DataType.F32, 0, false);
      assertEquals(new Planner(context).algorithm(call), Algorithm.PIECES);
    }
  }

  @Test
  public void shouldRefuseARankThatDisagreesWithItself() {
    Layout.Pairwise pairs =
        new Layout.Pairwise(Layout.Uneven.packed(2, 1), Layout.Uneven.packed(3, 1));
    CollectiveCall call =
        CollectiveCall.move(Collective.ALL_TO_ALL_V, pairs, DataType.F32, 0, false);
    Planner planner = new Planner(Worlds.context("ab", 48));
    assertThrows(UsageException.class, () -> planner.plan(call, 0));
  }
}
