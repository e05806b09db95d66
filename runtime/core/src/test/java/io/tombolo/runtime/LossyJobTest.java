// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import io.tombolo.runtime.launch.RankPool;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whole jobs of real processes between whose clusters packets get lost, swapped and doubled. */
public final class LossyJobTest {
  private static final String FAULTS = "loss=1%,reorder=2%:300us,duplicate=1%";
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  private final RankPool pool = new RankPool();
  private HcaFile hca;

  @BeforeClass
  public void unpackTheHca() throws IOException {
    hca = new HcaFile();
  }

  @AfterClass(alwaysRun = true)
  public void endTheProcesses() throws IOException {
    pool.close();
    hca.close();
  }

  @DataProvider
  public Object[][] fabrics() {
    return new Object[][] {{"udp"}, {"uc"}, {"ud"}};
  }

  @Test(timeOut = 300_000, dataProvider = "fabrics")
  public void shouldComputeExactlyWherePacketsGetLost(String fabric) throws Exception {
    ClusterSpec clusters = ClusterSpec.parse("emu-nvidia:1,emu-amd:2");
    JobSpec job =
        TestJobs.of(clusters, TIMEOUT, "sums", -1)
            .withSettings(
                TestJobs.unlike(
                    Map.of("fabrics", fabric, "faults", FAULTS, "ibverbs", hca.path())));
    JobResult result = TestJobs.run(job, pool);
    assertTrue(result.isSuccess(), result.toString());
  }
}
