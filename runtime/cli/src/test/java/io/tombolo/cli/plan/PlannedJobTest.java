// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNull;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.JobContext;
import io.tombolo.runtime.MovingOutlook;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.ImaginedRanks;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.topology.calibration.Calibration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.testng.annotations.Test;

public class PlannedJobTest {

  @Test
  public void shouldMeetTheLowerBoundOnBothSidesOfEachBorder() {
    JobSummary summary = summary("a:2,b:2,c:2", 36_000, "all_reduce@pieces");
    for (JobSummary.ClusterRow cluster : summary.clusters()) {
      assertEquals(cluster.outBoundBytes(), 4 * 36_000 * 4 / 3);
      assertEquals((long) cluster.outBytes(), cluster.outBoundBytes());
      assertEquals((long) cluster.inBytes(), cluster.inBoundBytes());
    }
    assertTrue(summary.proven().startsWith("proven on 140.6 KiB"), summary.proven());
  }

  @Test
  public void shouldBringInNoMoreThanWhatIsForeign() {
    CollectiveCall gather =
        CollectiveCall.move(Collective.ALL_GATHER, new Layout.Even(1_000), DataType.F32, 0, false);
    JobSummary summary =
        JobSummary.of(PlannedJob.of(ranks("a:3,b:5"), ranks -> gather, Map.of()), null);
    assertEquals((long) summary.clusters().get(0).inBytes(), 20_000);
    assertEquals(summary.clusters().get(0).inBoundBytes(), 20_000);
    assertEquals((long) summary.clusters().get(1).inBytes(), 12_000);
  }

  @Test
  public void shouldCountWhatLeavesAClusterAlthoughItsRanksStandForThemselves() {
    CollectiveCall scan =
        CollectiveCall.vector(
            Collective.SCAN, 1_000, DataType.F32, new Reduction.By(ReduceOp.SUM), 0, false);
    JobSummary summary =
        JobSummary.of(PlannedJob.of(ranks("a:3,b:2"), ranks -> scan, Map.of()), null);
    for (JobSummary.ClusterRow cluster : summary.clusters()) {
      assertEquals((long) cluster.outBytes(), cluster.vendor().equals("a") ? 4_000 : 0);
      assertEquals((long) cluster.inBytes(), cluster.vendor().equals("a") ? 0 : 4_000);
      assertEquals(cluster.outBoundBytes(), (long) cluster.outBytes());
      assertEquals(cluster.inBoundBytes(), (long) cluster.inBytes());
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
      assertEquals((long) cluster.outBytes(), 2 * 4_096); // two rounds, the whole vector in each
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
  public void shouldPlanSomeOfManyRanksAndSayWhich() {
    JobSummary summary = summary("a:6000,b:4000", 1 << 20, "");
    List<Integer> planned = summary.ranks().stream().map(JobSummary.RankRow::rank).toList();
    assertEquals(planned, List.of(0, 5_999, 6_000, 9_999));
    assertEquals(summary.size(), 10_000);
    assertTrue(
        summary.planned().startsWith("planned for 4 of 10000 ranks only"), summary.planned());
    assertTrue(summary.time().predictedPs() >= summary.time().boundPs());
    for (JobSummary.ClusterRow cluster : summary.clusters()) {
      assertNull(cluster.outBytes());
      assertTrue(cluster.outBoundBytes() > 0);
    }
    for (JobSummary.RankRow rank : summary.ranks()) {
      assertTrue(rank.steps() > 0 && rank.timePs() > 0, rank.toString());
    }
  }

  @Test
  public void shouldPlanTheRootAndTheRankThatWasAskedFor() {
    CollectiveCall call =
        CollectiveCall.move(Collective.BROADCAST, new Layout.Even(64), DataType.F32, 17, false);
    PlannedJob job =
        PlannedJob.of(ranks("a:5000,b:5000"), ranks -> call, Map.of(), OptionalInt.of(23));
    assertTrue(!JobSummary.of(job, 23).program().isEmpty());
    assertEquals(job.rank(17).rank(), 17);
  }

  /** Of segments of 24 elements for each of 6 ranks; the last ones are shorter. */
  @Test
  public void shouldFindByTheEndsOfPlansWhatTheyAddUpTo() {
    PlanContext context =
        JobContext.of(ranks("a:3,b:2,c:1"), Map.of("segment_bytes", "576"), Calibration.none());
    Planner planner = new Planner(context);
    for (Collective collective : Collective.values()) {
      if (!collective.isPointToPoint() && !collective.isUneven()) {
        CollectiveCall call =
            new CollectiveCall(
                collective,
                DataType.F32,
                collective.isReducing() ? new Reduction.By(ReduceOp.SUM) : new Reduction.None(),
                collective.isRooted() ? 4 : 0,
                new Layout.Even(collective == Collective.BARRIER ? 0 : 1_234),
                false);
        boolean isLong = PlannedRank.hasMiddle(planner.segments(call, 0));
        assertEquals(isLong, collective != Collective.BARRIER, collective.text());
        if (isLong) {
          shouldBeAlike(
              summary(context, call, rank -> PlannedRank.ends(planner, call, rank)),
              summary(context, call, rank -> PlannedRank.whole(planner, call, rank)));
        }
      }
    }
  }

  private static JobSummary summary(
      PlanContext context, CollectiveCall call, IntFunction<PlannedRank> planned) {
    List<PlannedRank> ranks =
        IntStream.range(0, context.clustering().size()).mapToObj(planned).toList();
    return JobSummary.of(
        new PlannedJob(context, new MovingOutlook(context, Map.of()), call, ranks), null);
  }

  /** The sums are equal; times, which are none, are close. */
  private static void shouldBeAlike(JobSummary ends, JobSummary whole) {
    assertTrue(ends.planned().contains("the first 5 and the last were planned"), ends.planned());
    assertEquals(whole.planned(), "planned for all ranks");
    assertEquals(ends.clusters(), whole.clusters(), whole.call());
    for (int i = 0; i < whole.ranks().size(); i++) {
      JobSummary.RankRow found = ends.ranks().get(i);
      JobSummary.RankRow wanted = whole.ranks().get(i);
      assertEquals(found.steps(), wanted.steps(), wanted + " of " + whole.call());
      assertEquals(found.intraBytes(), wanted.intraBytes(), wanted + " of " + whole.call());
      assertEquals(found.crossBytes(), wanted.crossBytes(), wanted + " of " + whole.call());
      assertEquals(found.copiedBytes(), wanted.copiedBytes(), wanted + " of " + whole.call());
      assertEquals(found.stagedBytes(), wanted.stagedBytes(), wanted + " of " + whole.call());
      assertEquals(found.peers(), wanted.peers(), wanted + " of " + whole.call());
    }
    double predictedPs = whole.time().predictedPs();
    assertEquals((double) ends.time().predictedPs(), predictedPs, 0.1 * predictedPs, whole.call());
  }

  /** All of this would take minutes. */
  @Test
  public void shouldPlanTheEndsOfLongPlansAndSayOfHowManySegments() {
    CollectiveCall call =
        CollectiveCall.move(
            Collective.ALL_GATHER, new Layout.Even(1 << 20), DataType.F32, 0, false);
    JobSummary summary =
        JobSummary.of(
            PlannedJob.of(ranks("a:100,b:100"), ranks -> call, Map.of(), OptionalInt.of(3)), 3);
    assertEquals(
        summary.planned(),
        "planned for all ranks; of 401 segments, which are alike, the first 5 and the last were planned, and the figures of all follow from these");
    String last = summary.program().get(summary.program().size() - 1);
    assertEquals(last, "and 398 segments before the last one");
    for (JobSummary.ClusterRow cluster : summary.clusters()) {
      assertEquals((long) cluster.inBytes(), (4L * 100) << 20);
      assertEquals((long) cluster.outBytes(), (4L * 100) << 20);
    }
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
    return job.ranks().get(0).plan().intraBytes();
  }

  private static JobSummary summary(String clusters, long count, String rules) {
    CollectiveCall call = CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false);
    return JobSummary.of(
        PlannedJob.of(ranks(clusters), ranks -> call, Map.of("algorithms", rules)), null);
  }

  private static List<RankDescriptor> ranks(String clusters) {
    return ImaginedRanks.apart(ClusterSpec.imagined(clusters));
  }
}
