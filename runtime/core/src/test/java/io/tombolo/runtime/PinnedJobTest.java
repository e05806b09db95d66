// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import java.time.Duration;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whole jobs whose devices copy between their memory and slots that both processes map. */
public final class PinnedJobTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String CLUSTERS = "emu-nvidia:1,emu-amd:1";

  @Test(timeOut = 300_000)
  public void shouldHaveNoProcessorCopyWhereDevicesReachTheSlotsAndCombine() {
    JobResult result = run("pinned calls");
    assertTrue(result.isSuccess(), result.toString());
  }

  @Test(timeOut = 300_000)
  public void shouldTellTheSurvivorAndKeepItsMemoryWhenThePeerDiesWhileDevicesCopy() {
    JobResult result = run("pinned death");
    assertEquals(result.statuses().get(1).code(), 77);
    assertNotEquals(result.statuses().get(0).code(), 1, result.toString());
    assertTrue(result.failure().orElseThrow().contains("rank 1"), result.toString());
  }

  @DataProvider
  public Object[][] aborts() {
    return new Rows().oneOf(new Object[][] {{"receiver"}, {"sender"}}).toArray();
  }

  @Test(timeOut = 300_000, dataProvider = "aborts")
  public void shouldTellBothAndKeepTheirMemoryWhenAMessageIsAbortedWhileDevicesCopy(String who) {
    JobResult result = run("pinned abort by the " + who);
    result.statuses().forEach(status -> assertNotEquals(status.code(), 1, result.toString()));
    assertTrue(result.failure().orElseThrow().contains("aborted"), result.toString());
  }

  private static JobResult run(String behaviour) {
    return TestJobs.run(
        TestJobs.of(ClusterSpec.parse(CLUSTERS), TIMEOUT, behaviour, 1)
            .withSettings(ImmutableSortedMap.of("fabrics", "shm", "reduce", "device")),
        true);
  }
}
