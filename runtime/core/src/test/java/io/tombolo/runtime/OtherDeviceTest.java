// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import java.time.Duration;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Callers' threads keep the device that is current there. */
public class OtherDeviceTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @DataProvider
  public Object[][] jobs() {
    return new Object[][] {
      {"emu-nvidia:2"}, {"emu-nvidia:1,emu-amd:2"}, {"emu-ascend:2,emu-cambricon:1"}
    };
  }

  @Test(timeOut = 300_000, dataProvider = "jobs")
  public void shouldLeaveCallersTheDeviceThatTheyHave(String clusters) {
    JobResult result =
        TestJobs.run(TestJobs.of(ClusterSpec.parse(clusters), TIMEOUT, "other device", 1), true);
    assertTrue(result.isSuccess(), result.toString());
  }
}
