// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.ImaginedRanks;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Reduction;
import java.util.List;
import java.util.Map;
import org.testng.annotations.Test;

public class PlannedJobTest {

  @Test
  public void shouldMeetTheLowerBoundOnBothSidesOfEachBorder() {
    JobSummary summary = summary("a:2,b:2,c:2", 36_000, "all_reduce@pieces");
    for (JobSummary.ClusterRow cluster : summary.clusters()) {
      assertEquals(cluster.outBoundBytes(), 4 * 36_000 * 4 / 3);
      assertEquals(cluster.outBytes(), cluster.outBoundBytes());
      assertEquals(cluster.inBytes(), cluster.inBoundBytes());
    }
    assertTrue(summary.proven().startsWith("proven on 140.6 KiB"), summary.proven());
  }

  @Test
  public void shouldBringInNoMoreThanWhatIsForeign() {
    CollectiveCall gather =
        CollectiveCall.move(Collective.ALL_GATHER, new Layout.Even(1_000), DataType.F32, 0, false);
    JobSummary summary =
        JobSummary.of(PlannedJob.of(ranks("a:3,b:5"), ranks -> gather, Map.of()), null);
    assertEquals(summary.clusters().get(0).inBytes(), 20_000);
    assertEquals(summary.clusters().get(0).inBoundBytes(), 20_000);
    assertEquals(summary.clusters().get(1).inBytes(), 12_000);
  }

  @Test
  public void shouldCountWhatLeavesAClusterAlthoughItsRanksStandForThemselves() {
    CollectiveCall scan =
        CollectiveCall.vector(
            Collective.SCAN, 1_000, DataType.F32, new Reduction.By(ReduceOp.SUM), 0, false);
    JobSummary summary =
        JobSummary.of(PlannedJob.of(ranks("a:3,b:2"), ranks -> scan, Map.of()), null);
    for (JobSummary.ClusterRow cluster : summary.clusters()) {
      assertEquals(cluster.outBytes(), cluster.vendor().equals("a") ? 4_000 : 0);
      assertEquals(cluster.inBytes(), cluster.vendor().equals("a") ? 0 : 4_000);
      assertEquals(cluster.outBoundBytes(), cluster.outBytes());
      assertEquals(cluster.inBoundBytes(), cluster.inBytes());
    }
  }

  @Test
  public void shouldNameTheBottleneckAndTheReason() {
    JobSummary summary = summary("a:1,b:3", 1 << 24, "");
    assertTrue(
        summary.time().bottleneck().matches("rank 0 is the bottleneck: .* take .* ms of the .* ms"),
        summary.time().bottleneck());
    assertTrue(summary.algorithm().reason().startsWith("the cheapest:"), summary.toString());
    assertTrue(summary.time().predictedPs() >= summary.time().boundPs());
    assertTrue(
        summary("a:2,b:2", 64, "all_reduce@pieces").algorithm().reason().startsWith("rules"));
  }

  @Test
  public void shouldDoubleShortVectorsOfManyClusters() {
    JobSummary summary = summary("a:3,b:5,c:2,d:1", 1_024, "");
    assertEquals(summary.algorithm().name(), "doubling");
    assertTrue(summary.algorithm().reason().endsWith(" by doubling"), summary.toString());
    for (JobSummary.ClusterRow cluster : summary.clusters()) {
      assertEquals(cluster.outBytes(), 2 * 4_096); // two rounds, the whole vector in each
    }
    assertTrue(summary.proven().startsWith("proven on 4.0 KiB"), summary.proven());
    JobSummary forced = summary("a:1,b:1,c:1", 1_024, "all_reduce:0-4k@doubling");
    assertEquals(forced.algorithm().name(), "doubling");
    assertEquals(forced.ranks().get(0).peers().toString(), "[1, 2]");
    assertEquals(forced.ranks().get(1).peers().toString(), "[0]");
  }

  @Test
  public void shouldProveTheFirstSegmentsOfALongVector() {
    assertTrue(summary("a:1,b:1", 1L << 28, "").proven().startsWith("proven on 8.0 MiB"));
  }

  @Test
  public void shouldNotTryToProveManyRanks() {
    assertTrue(summary("a:20,b:20", 1 << 20, "").proven().startsWith("not proven"));
  }

  @Test
  public void shouldSayWhoExchangesWithWhom() {
    JobSummary summary = summary("a:2,b:1", 1_000, "all_reduce@pieces");
    assertEquals(summary.ranks().get(0).peers().toString(), "[2]");
    assertEquals(summary.ranks().get(2).peers().toString(), "[0, 1]");
  }

  @Test
  public void shouldPlanRoundWhatAKnownVendorDoesNotDeclare() {
    assertTrue(intraBytes("emu-nvidia", DataType.F64) > 0);
    assertEquals(intraBytes("emu-ascend", DataType.F64), 0);
    assertTrue(intraBytes("unheard-of", DataType.F64) > 0);
  }

  private static long intraBytes(String vendor, DataType type) {
    CollectiveCall call = CollectiveCall.allReduce(1 << 20, type, ReduceOp.SUM, false);
    PlannedJob job = PlannedJob.of(ranks(vendor + ":2,b:1"), ranks -> call, Map.of());
    return job.plans().get(0).intraBytes();
  }

  private static JobSummary summary(String clusters, long count, String rules) {
    CollectiveCall call = CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false);
    return JobSummary.of(
        PlannedJob.of(ranks(clusters), ranks -> call, Map.of("algorithms", rules)), null);
  }

  private static List<RankDescriptor> ranks(String clusters) {
    return ImaginedRanks.apart(ClusterSpec.parse(clusters));
  }
}
