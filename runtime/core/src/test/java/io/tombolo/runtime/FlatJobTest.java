// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Availability;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.RankPool;
import java.time.Duration;
import java.util.Map;
import org.testng.SkipException;
import org.testng.annotations.AfterClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whole jobs of several vendors whose memory is the host's: the host library joins their ranks. */
public class FlatJobTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String WORLD = "host:2,intel:1";
  private static final String ORDER = "host,intel,host";

  private final RankPool pool = new RankPool();

  @AfterClass(alwaysRun = true)
  public void endTheProcesses() {
    pool.close();
  }

  @DataProvider
  public Object[][] behaviours() {
    return new Object[][] {
      {"flat"}, {"blocking"}, {"everything"}, {"split"}, {"registered"},
    };
  }

  @Test(timeOut = 300_000, dataProvider = "behaviours")
  public void shouldDoAsMixedJobsDo(String behaviour) throws Exception {
    needsOneCcl();
    JobResult result = run(behaviour, -1, Map.of());
    assertTrue(result.isSuccess(), result.toString());
  }

  @DataProvider
  public Object[][] pairs() {
    return new Object[][] {{"intel"}, {"mpi"}};
  }

  /** Of two ranks, short vectors go by messages, and long ones through the host library. */
  @Test(timeOut = 300_000, dataProvider = "pairs")
  public void shouldJoinTwoRanks(String vendor) {
    needs(vendor);
    ClusterSpec pair = ClusterSpec.parse("host:1,%s:1".formatted(vendor));
    JobResult result = TestJobs.run(TestJobs.of(pair, LIMIT, "flat", -1), false);
    assertTrue(result.isSuccess(), result.toString());
  }

  /** The other way is there all the same: between clusters, by their own libraries inside. */
  @Test(timeOut = 300_000)
  public void shouldGoBetweenClustersIfToldTo() throws Exception {
    needsOneCcl();
    Map<String, String> settings = Map.of("algorithms", "all_reduce@direct#reduce@direct");
    JobResult result = run("between clusters", -1, settings);
    assertTrue(result.isSuccess(), result.toString());
  }

  @Test(timeOut = 300_000)
  public void shouldNameBothCallsWhenRanksDisagree() {
    needsOneCcl();
    JobResult result = TestJobs.run(TestJobs.of(spec(), LIMIT, "blocking mismatch", 1), false);
    assertFalse(result.isSuccess());
    assertTrue(
        result.failure().orElseThrow().contains("rank 1 called all_reduce of 101 f32"),
        result.toString());
  }

  @Test(timeOut = 300_000)
  public void shouldTellTheOthersWhenOneDies() {
    needsOneCcl();
    JobResult result = TestJobs.run(TestJobs.of(spec(), LIMIT, "die", 1), false);
    assertFalse(result.isSuccess());
    assertTrue(result.failure().orElseThrow().startsWith("rank 1 (intel"), result.toString());
  }

  private JobResult run(String behaviour, int odd, Map<String, String> settings) throws Exception {
    return TestJobs.run(
        TestJobs.of(spec(), LIMIT, behaviour, odd).withSettings(TestJobs.unlike(settings)), pool);
  }

  private static ClusterSpec spec() {
    return ClusterSpec.parse(WORLD, ORDER);
  }

  private static void needsOneCcl() {
    needs("intel");
  }

  private static void needs(String vendor) {
    if (Vendors.named(vendor).availability() instanceof Availability.Missing missing) {
      throw new SkipException(missing.cause() + "; " + missing.fix());
    }
  }
}
