package io.tombolo.runtime;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Availability;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import java.time.Duration;
import org.testng.SkipException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Calls that block, in whole jobs: with real libraries whose calls block, and with others. */
public class PassThroughJobTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @DataProvider
  public Object[][] jobs() {
    return new Object[][] {{"host:3"}, {"intel:2"}, {"emu-nvidia:2"}, {"host:2,emu-amd:1"}};
  }

  @Test(dataProvider = "jobs")
  public void shouldComputeExactlyWhenCallsBlock(String clusters) {
    needs("intel", clusters);
    JobResult result = TestJobs.run(TestJobs.of(spec(clusters), LIMIT, "blocking", -1), true);
    assertTrue(result.isSuccess(), result.toString());
  }

  @DataProvider
  public Object[][] libraries() {
    return new Object[][] {{"host:2"}, {"intel:2"}};
  }

  /** Called with different counts, oneCCL ends the process. */
  @Test(dataProvider = "libraries")
  public void shouldShowBothCallsAndNotCallTheLibraryWhenRanksDisagree(String clusters) {
    needs("intel", clusters);
    JobResult result =
        TestJobs.run(TestJobs.of(spec(clusters), LIMIT, "blocking mismatch", 1), false);
    assertFalse(result.isSuccess());
    assertTrue(
        result.failure().orElseThrow().contains("rank 1 called all_reduce of 101 f32"),
        result.toString());
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
