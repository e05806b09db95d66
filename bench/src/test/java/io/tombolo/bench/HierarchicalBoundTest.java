// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import java.util.stream.IntStream;
import org.testng.annotations.Test;

public class HierarchicalBoundTest {
  private static final HierarchicalBound BOUND = new HierarchicalBound(new CoreSpeed(1000, 500));

  /** Bytes of a vector, or of all blocks together. */
  private static final long SIZE = 1 << 20;

  @Test
  public void shouldCopyWhatCrossesEachWayAndFoldPartialResultsOnce() {
    double copied = 2.0 * SIZE / 1000;
    assertEquals(us("ab", Collective.ALL_REDUCE), copied + 0.5 * SIZE / 500, 1e-6);
    assertEquals(us("ab", Collective.REDUCE), SIZE / 1000.0 + SIZE / 500.0, 1e-6);
    assertEquals(us("ab", Collective.BROADCAST), SIZE / 1000.0, 1e-6);
    assertEquals(us("ab", Collective.ALL_GATHER), copied / 2, 1e-6);
    assertEquals(us("ab", Collective.REDUCE_SCATTER), copied / 2 + 0.5 * SIZE / 500, 1e-6);
    assertEquals(us("ab", Collective.ALL_TO_ALL), copied / 2, 1e-6);
  }

  @Test
  public void shouldHaveMembersShareTheirClustersPartAndTheSlowestClusterCount() {
    assertEquals(us("aabb", Collective.ALL_REDUCE), us("ab", Collective.ALL_REDUCE) / 2, 1e-6);
    assertEquals(us("aaab", Collective.ALL_REDUCE), us("ab", Collective.ALL_REDUCE), 1e-6);
  }

  @Test
  public void shouldAddWhatTheLibrariesTook() {
    Clustering one = clustering("aa");
    CollectiveCall call = call(Collective.ALL_REDUCE, 2);
    assertEquals(BOUND.timeUs(one, call, 17), 17, 1e-6, "nothing crosses");
  }

  @Test
  public void shouldMeasureACore() {
    CoreSpeed speed = CoreSpeed.measure();
    assertTrue(speed.copyBytesPerUs() > 0 && speed.foldBytesPerUs() > 0, speed.toString());
  }

  private static double us(String word, Collective collective) {
    return BOUND.timeUs(clustering(word), call(collective, word.length()), 0);
  }

  private static CollectiveCall call(Collective collective, int ranks) {
    Operation operation = new CollectiveOperation(collective, ranks, 0);
    return operation.call(operation.block(SIZE / Float.BYTES), DataType.F32, ReduceOp.SUM, false);
  }

  private static Clustering clustering(String word) {
    return Clustering.of(
        IntStream.range(0, word.length())
            .mapToObj(rank -> new RankSite(rank, word.substring(rank, rank + 1), "host", "device"))
            .toList());
  }
}
