package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Proves the plans of every small job. */
public class SmallWorldsTest {
  private static final List<String> LARGER = List.of("aaabb", "ababc");

  @DataProvider
  public Object[][] sizes() {
    return IntStream.rangeClosed(1, 4)
        .mapToObj(ranks -> new Object[] {ranks})
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "sizes")
  public void shouldProveEveryCallOfEverySmallWorld(int ranks) {
    List<String> words = Worlds.words(ranks, 4);
    long proven = words.stream().mapToLong(this::prove).sum();
    System.out.printf(
        "%d ranks: %d words, %d plans of all ranks proven%n", ranks, words.size(), proven);
    assertTrue(proven > 0);
  }

  @Test
  public void shouldProveLargerWorlds() {
    LARGER.forEach(word -> assertTrue(prove(word) > 0, word));
  }

  private long prove(String word) {
    int n = word.length();
    long proven = 0;
    for (long segmentBytes : new long[] {8, 1 << 20}) {
      for (String algorithm : new String[] {"pieces", "direct"}) {
        PlanContext context = Worlds.context(word, segmentBytes, algorithm);
        for (long count : LongStream.of(0, 1, n - 1, n, n + 1, 61).distinct().toArray()) {
          for (CollectiveCall call : Calls.all(n, count)) {
            verify(word, context, call);
            proven++;
          }
        }
      }
    }
    return proven;
  }

  private static void verify(String word, PlanContext context, CollectiveCall call) {
    List<Plan> plans = Worlds.plans(context, call);
    try {
      PlanVerifier.verify(context.clustering(), plans);
    } catch (RuntimeException e) {
      throw new AssertionError(
          "word " + word + ", " + call + ", " + context.tuning() + ": " + plans, e);
    }
  }

  @Test
  public void shouldMoveNoMoreThanTheBoundBetweenClusters() {
    for (String word : new String[] {"aabb", "abab", "aabbcc", "abcabc", "aaabbb"}) {
      PlanContext context = Worlds.context(word, 1 << 20);
      int clusters = context.clustering().clusters().size();
      long count = 3_600;
      List<Plan> plans =
          Worlds.plans(context, CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false));
      for (Cluster cluster : context.clustering().clusters()) {
        long sent = cluster.ranks().stream().mapToLong(rank -> plans.get(rank).crossBytes()).sum();
        assertEquals(sent, 2L * (clusters - 1) * count * Float.BYTES / clusters, word);
      }
    }
  }

  @Test
  public void shouldUseEveryRankAsRelayWhenClustersAreUnequal() {
    PlanContext context = Worlds.context("aaabbbbb", 1 << 20);
    List<Plan> plans =
        Worlds.plans(context, CollectiveCall.allReduce(1500, DataType.F32, ReduceOp.SUM, false));
    List<Long> sent = new ArrayList<>();
    plans.forEach(plan -> sent.add(plan.crossBytes()));
    assertEquals(sent, List.of(2000L, 2000L, 2000L, 1200L, 1200L, 1200L, 1200L, 1200L));
  }
}
