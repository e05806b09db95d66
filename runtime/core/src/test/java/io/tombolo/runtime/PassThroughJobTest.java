// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Availability;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.ExitStatus;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import io.tombolo.runtime.launch.RankPool;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.testng.SkipException;
import org.testng.annotations.AfterClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Calls that block, in whole jobs: with real libraries whose calls block, and with others. */
public class PassThroughJobTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final RankPool pool = new RankPool();

  @AfterClass(alwaysRun = true)
  public void endTheProcesses() {
    pool.close();
  }

  @DataProvider
  public Object[][] jobs() {
    return new Object[][] {{"host:3"}, {"intel:2"}, {"emu-nvidia:2"}, {"host:2,emu-amd:1"}};
  }

  @Test(timeOut = 300_000, dataProvider = "jobs")
  public void shouldComputeExactlyWhenCallsBlock(String clusters) throws Exception {
    needs("intel", clusters);
    JobResult result = TestJobs.run(TestJobs.of(spec(clusters), LIMIT, "blocking", -1), pool);
    assertTrue(result.isSuccess(), result.toString());
  }

  @DataProvider
  public Object[][] libraries() {
    return new Rows().oneOf(new Object[][] {{"host:2"}, {"intel:2"}}).toArray();
  }

  /** Called with different counts, oneCCL ends the process. */
  @Test(timeOut = 300_000, dataProvider = "libraries")
  public void shouldShowBothCallsAndNotCallTheLibraryWhenRanksDisagree(String clusters) {
    needs("intel", clusters);
    JobResult result =
        TestJobs.run(TestJobs.of(spec(clusters), LIMIT, "blocking mismatch", 1), false);
    assertFalse(result.isSuccess());
    assertTrue(
        result.failure().orElseThrow().contains("rank 1 called all_reduce of 101 f32"),
        result.toString());
  }

  @DataProvider
  public Object[][] waysIn() {
    return new Rows().oneOf(new Object[][] {{"queued"}, {"blocking"}}).toArray();
  }

  /**
   * oneCCL cannot abort, so a thread of each survivor stays in it; their processes end in order.
   */
  @Test(timeOut = 300_000, dataProvider = "waysIn")
  public void shouldTellTheOthersAndLetThemEndWhenOneDiesWhileTheyAreInTheLibrary(String way) {
    needs("intel", "intel:3");
    int victim = 1;
    JobSpec job =
        TestJobs.of(spec("intel:3"), LIMIT, "die in the library, " + way, victim)
            .withTimes(LIMIT, LIMIT);
    JobResult result = TestJobs.run(job, false);
    assertEquals(codes(result), List.of(0, DeathInTheLibrary.EXIT_CODE, 0), result.toString());
    assertTrue(result.failure().orElseThrow().startsWith("rank 1 (intel"), result.toString());
  }

  /** The threads of both are in oneCCL's join when their processes end. */
  @Test(timeOut = 300_000)
  public void shouldTellTheOtherAndLetItEndWhenOneDiesWhileTheyJoin() {
    needs("intel", "intel:2");
    int victim = 1;
    JobSpec job =
        TestJobs.of(spec("intel:2"), LIMIT, "die in the join", victim).withTimes(LIMIT, LIMIT);
    long from = System.nanoTime();
    JobResult result = TestJobs.run(job, false);
    Duration took = Duration.ofNanos(System.nanoTime() - from);
    assertTrue(took.compareTo(LIMIT) < 0, "this waited for a deadline: " + took);
    assertEquals(codes(result), List.of(1, DeathInTheLibrary.EXIT_CODE), result.toString());
    assertTrue(result.failure().orElseThrow().startsWith("rank 1 (intel"), result.toString());
  }

  private static List<Integer> codes(JobResult result) {
    return result.statuses().stream().map(ExitStatus::code).collect(Collectors.toList());
  }

  private static ClusterSpec spec(String clusters) {
    return ClusterSpec.parse(clusters);
  }

  private static void needs(String vendor, String clusters) {
    if (clusters.contains(vendor)
        && Vendors.named(vendor).availability() instanceof Availability.Missing missing) {
      throw new SkipException(missing.cause() + "; " + missing.fix());
    }
  }
}
