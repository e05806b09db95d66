// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.DataType;
import io.tombolo.topology.Cluster;
import java.util.List;
import org.testng.annotations.Test;

public class BoundsTest {

  @Test
  public void shouldNeverBeAboveWhatPlansMove() {
    for (String word : Worlds.words(5, 3)) {
      PlanContext context = Worlds.context(word, 1 << 20);
      for (List<CollectiveCall> calls : Calls.all(5, 60)) {
        CollectiveCall call = calls.get(0);
        List<Plan> plans = Worlds.plans(context, calls);
        for (Cluster cluster : context.clustering().clusters()) {
          Bounds bounds = Bounds.of(context.clustering(), call, cluster);
          String where = word + " " + call + " cluster " + cluster.index();
          long rounding = 4L * 4 * context.clustering().size();
          assertTrue(sent(plans, cluster) + rounding >= bounds.outBytes(), where);
          assertTrue(received(plans, cluster) + rounding >= bounds.inBytes(), where);
        }
      }
    }
  }

  @Test
  public void shouldKnowUnequalShares() {
    PlanContext context = Worlds.context("aaabbbbb", 1 << 20);
    CollectiveCall call =
        CollectiveCall.move(Collective.ALL_GATHER, new Layout.Even(100), DataType.U8, 0, false);
    List<Cluster> clusters = context.clustering().clusters();
    assertEquals(Bounds.of(context.clustering(), call, clusters.get(0)), new Bounds(300, 500));
    assertEquals(Bounds.of(context.clustering(), call, clusters.get(1)), new Bounds(500, 300));
  }

  private static long sent(List<Plan> plans, Cluster cluster) {
    return cluster.ranks().stream().mapToLong(rank -> plans.get(rank).crossBytes()).sum();
  }

  private static long received(List<Plan> plans, Cluster cluster) {
    return cluster.ranks().stream()
        .flatMap(rank -> plans.get(rank).steps().stream())
        .mapToLong(step -> step.action() instanceof Action.Receive got ? got.to().length() * 4 : 0)
        .sum();
  }
}
