package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import java.time.Duration;
import java.util.Map;
import org.testng.annotations.Test;

/** Whole jobs whose NICs read and write the stages themselves. */
public final class DirectJobTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** Each rank checks what it was not to copy; see {@code TestRank}. */
  @Test
  public void shouldComputeExactlyAndCopyNextToNothingOverReliableConnections() throws Exception {
    try (HcaFile hca = new HcaFile()) {
      JobSpec job =
          TestJobs.of(ClusterSpec.parse("emu-nvidia:1,emu-amd:2"), TIMEOUT, "direct", -1)
              .withSettings(TestJobs.unlike(Map.of("fabrics", "rc", "ibverbs", hca.path())));
      JobResult result = TestJobs.run(job, true);
      assertTrue(result.isSuccess(), result.toString());
    }
  }
}
