package io.tombolo.cli.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.plan.CollectiveCall;
import org.testng.annotations.Test;

public class PlannedJobTest {

  @Test
  public void shouldMeetTheLowerBoundOnBothSidesOfEachBorder() {
    JobSummary summary = summary("a:2,b:2,c:2", 36_000);
    for (JobSummary.ClusterRow cluster : summary.clusters()) {
      assertEquals(cluster.boundBytes(), 4 * 36_000 * 4 / 3);
      assertEquals(cluster.outBytes(), cluster.boundBytes());
      assertEquals(cluster.inBytes(), cluster.boundBytes());
    }
    assertTrue(summary.proven().startsWith("proven on 140.6 KiB"), summary.proven());
  }

  @Test
  public void shouldNameTheBusiestRank() {
    assertEquals(
        summary("a:1,b:3", 3_000).bottleneck(),
        "between clusters rank 0 is busiest: it sends 11.7 KiB");
    assertEquals(summary("a:3", 3_000).bottleneck(), "nothing crosses between clusters");
  }

  @Test
  public void shouldProveTheFirstSegmentsOfALongVector() {
    assertTrue(summary("a:1,b:1", 1L << 28).proven().startsWith("proven on 8.0 MiB"));
  }

  @Test
  public void shouldSayWhoExchangesWithWhom() {
    JobSummary summary = summary("a:2,b:1", 1_000);
    assertEquals(summary.ranks().get(0).peers().toString(), "[2]");
    assertEquals(summary.ranks().get(2).peers().toString(), "[0, 1]");
  }

  private static JobSummary summary(String clusters, long count) {
    CollectiveCall call = CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false);
    return PlannedJob.of(ClusterSpec.parse(clusters), call).summary();
  }
}
