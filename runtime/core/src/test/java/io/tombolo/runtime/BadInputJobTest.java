// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import java.time.Duration;
import java.util.Map;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** What calls cannot use or have, on devices that say so only when it is too late. */
public class BadInputJobTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final long LIMIT_MS = 300_000;

  /** All that have devices; streams of two wait for nothing, those of one at gates. */
  @DataProvider
  public static Object[][] clusters() {
    return new Object[][] {
      {"emu-nvidia:1,emu-amd:1"},
      {"emu-gaudi:1,emu-nvidia:1"},
      {"emu-ascend:1,emu-cambricon:1"},
      {"emu-kunlunxin:1,emu-kunlunxin-xre:1"}
    };
  }

  @Test(dataProvider = "clusters", timeOut = LIMIT_MS)
  public void shouldRefuseWhatNoCallCanUseAndGoOn(String clusters) {
    JobResult result =
        TestJobs.run(TestJobs.of(ClusterSpec.parse(clusters), LIMIT, "bad input", 0), true);
    assertTrue(result.isSuccess(), result.toString());
  }

  @Test(dataProvider = "clusters", timeOut = LIMIT_MS)
  public void shouldMakeTheCallOnceThereIsMemoryForIt(String clusters) {
    JobSpec job =
        TestJobs.of(ClusterSpec.parse(clusters), LIMIT, "exhausted", 0)
            .withSettings(TestJobs.unlike(Map.of("emu_pinned_mib", "64", "fabrics", "tcp")));
    JobResult result = TestJobs.run(job, true);
    assertTrue(result.isSuccess(), result.toString());
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldMakeTheCallOnceTheDeviceHasMemoryForIt() {
    JobSpec job =
        TestJobs.of(ClusterSpec.parse("emu-nvidia:2,emu-amd:1"), LIMIT, "without scratch", 0)
            .withSettings(TestJobs.unlike(Map.of("emu_memory_mib", "64", "fabrics", "tcp")));
    JobResult result = TestJobs.run(job, true);
    assertTrue(result.isSuccess(), result.toString());
  }
}
