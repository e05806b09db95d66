// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.RankPool;
import java.time.Duration;
import java.util.Map;
import org.testng.annotations.AfterClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Jobs that are open while nobody calls: they leave the processors to others. */
public class IdleJobTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String EMULATED = "emu-nvidia:1,emu-amd:1";

  private final RankPool pool = new RankPool();

  @AfterClass(alwaysRun = true)
  public void endTheProcesses() {
    pool.close();
  }

  /** Ways to hear of others, each with its own way to sleep. */
  @DataProvider
  public Object[][] jobs() {
    return new Object[][] {
      {"host:2", Map.of()},
      {EMULATED, Map.of()},
      {EMULATED, Map.of("fabrics", "tcp")},
      {EMULATED, Map.of("fabrics", "udp")},
    };
  }

  @Test(timeOut = 300_000, dataProvider = "jobs")
  public void shouldTakeNextToNoProcessorTimeAtRest(String clusters, Map<String, String> settings)
      throws Exception {
    JobResult result =
        TestJobs.run(
            TestJobs.of(ClusterSpec.parse(clusters), LIMIT, "idle", -1)
                .withSettings(TestJobs.unlike(settings)),
            pool);
    assertTrue(result.isSuccess(), result.toString());
  }
}
