// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import java.time.Duration;
import java.util.Map;
import org.testng.annotations.Test;

/** Jobs on a host that has one device of each vendor. */
public final class OneDeviceTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static JobResult run(String clusters, Map<String, String> settings) {
    ImmutableSortedMap<String, String> all =
        ImmutableSortedMap.<String, String>naturalOrder()
            .put("emu_devices", "1")
            .putAll(settings)
            .build();
    return TestJobs.run(
        TestJobs.of(ClusterSpec.parse(clusters), LIMIT, "sums", -1).withSettings(all), false);
  }

  @Test(timeOut = 120_000)
  public void shouldLetRanksShareTheDeviceThatTheJobNames() {
    JobResult result = run("emu-nvidia:2,host:1", Map.of("device", "0"));
    assertTrue(result.isSuccess(), result.toString());
  }

  @Test(timeOut = 120_000)
  public void shouldSayHowRanksShareADeviceWhereTheyAreTooMany() {
    assertEquals(
        run("emu-nvidia:2", Map.of()).failure().orElseThrow(),
        "rank 1: no device 1: of 'emu-nvidia' this process sees device 0 only; start fewer ranks of"
            + " it on this host, or let them share: TOMBOLO_DEVICE=0");
  }
}
