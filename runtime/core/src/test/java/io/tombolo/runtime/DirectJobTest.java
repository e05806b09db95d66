package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whole jobs whose NICs read and write the stages themselves. */
public final class DirectJobTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @DataProvider
  public Object[][] fabrics() {
    return new Object[][] {
      {Map.of("fabrics", "rc")}, {Map.of("fabrics", "uc", "faults", "loss=1%")}
    };
  }

  /** Each rank checks what was not to be copied; see {@code TestRank}. */
  @Test(dataProvider = "fabrics")
  public void shouldComputeExactlyAndLetTheNicReadWhatItSends(Map<String, String> fabric)
      throws Exception {
    try (HcaFile hca = new HcaFile()) {
      Map<String, String> settings = new HashMap<>(fabric);
      settings.put("ibverbs", hca.path());
      JobSpec job =
          TestJobs.of(ClusterSpec.parse("emu-nvidia:1,emu-amd:2"), TIMEOUT, "direct", -1)
              .withSettings(TestJobs.unlike(settings));
      JobResult result = TestJobs.run(job, true);
      assertTrue(result.isSuccess(), result.toString());
    }
  }
}
