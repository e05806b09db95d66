// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobLauncher;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import io.tombolo.runtime.launch.RankEvents;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Whole jobs of real processes, one of whose NICs dies once it has carried some of their bytes. It
 * stays dead for the rest of the process, so each job has processes of its own.
 */
public final class RailsJobTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  /** More than joining takes, and far fewer than the sums do. */
  private static final String PACKETS = "300";

  private static final String CABLE = "hca_down_after";
  private static final String RESET = "hca_fatal_after";

  private HcaFile hca;

  @BeforeClass
  public void unpackTheHca() throws IOException {
    hca = new HcaFile();
  }

  @AfterClass(alwaysRun = true)
  public void removeTheHca() throws IOException {
    hca.close();
  }

  @DataProvider
  public Object[][] faults() {
    return new Object[][] {
      {"rc", CABLE}, {"uc", CABLE}, {"ud", CABLE}, {"rc", RESET}, {"uc", RESET}, {"ud", RESET},
    };
  }

  /**
   * Half of the sums come after a rank has seen that its first NIC is dead. The other's may live:
   * it is used no more.
   */
  @Test(timeOut = 300_000, dataProvider = "faults")
  public void shouldComputeExactlyWhenOneOfTwoNicsDies(String fabric, String fault) {
    JobSpec job = job("sums while a NIC dies", fabric, fault, Map.of("rdma_rails", "2"));
    List<String> said = new CopyOnWriteArrayList<>();
    JobResult result = run(job, said);
    assertTrue(result.isSuccess(), result + " " + said);
    assertTrue(said.contains(DeadNic.OBITUARY), said.toString());
  }

  private static JobResult run(JobSpec job, List<String> said) {
    return JobLauncher.run(
        job,
        new RankEvents() {
          @Override
          public void onEvent(int rank, String json) {}

          @Override
          public void onOutput(int rank, String line) {
            said.add(line);
          }
        });
  }

  private JobSpec job(String behaviour, String fabric, String fault, Map<String, String> nics) {
    Map<String, String> settings = new HashMap<>(nics);
    settings.put("fabrics", fabric);
    settings.put("ibverbs", hca.path());
    settings.put(fault, PACKETS);
    return TestJobs.of(ClusterSpec.parse("emu-nvidia:1,emu-amd:1"), TIMEOUT, behaviour, -1)
        .withSettings(TestJobs.unlike(settings));
  }
}
