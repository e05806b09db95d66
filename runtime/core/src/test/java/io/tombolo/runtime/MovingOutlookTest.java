// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.runtime.exec.memory.SlotPins;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import java.time.Duration;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** What is said of jobs that need not exist is what those count that do. */
public class MovingOutlookTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @DataProvider
  public Object[][] jobs() {
    return new Object[][] {
      {"emu-nvidia:1,host:1", "shm", "auto"},
      {"emu-nvidia:1,host:1", "tcp", "auto"},
      {"emu-intel:1,host:1", "shm", "auto"},
      {"emu-intel:1,host:1", "tcp", "auto"},
      {"emu-nvidia:1,emu-amd:1", "shm", "device"},
      {"emu-nvidia:2,emu-amd:1", "shm", "device"},
      {"emu-nvidia:2,emu-amd:1", "shm,tcp", "host"},
      {"emu-nvidia:2,emu-amd:1", "tcp", "device"},
    };
  }

  @Test(timeOut = 300_000, dataProvider = "jobs")
  public void shouldSayOfCopiesWhatAJobCounts(String clusters, String fabrics, String reduce) {
    JobResult result =
        TestJobs.run(
            TestJobs.of(ClusterSpec.parse(clusters), TIMEOUT, "planned copies", 1)
                .withSettings(ImmutableSortedMap.of("fabrics", fabrics, "reduce", reduce)),
            true);
    assertTrue(result.isSuccess(), result.toString());
  }

  /** No row says otherwise; a device of another kind is not imagined. */
  @Test(timeOut = 120_000)
  public void shouldKnowWhichVendorsDevicesReachSlots() {
    for (Vendor vendor : Vendors.all()) {
      if (vendor.provenance() == Vendor.Provenance.EMULATED) {
        try (DeviceAdaptor device = vendor.openDevice(0);
            SlotPins pins = new SlotPins(device)) {
          assertEquals(pins.reachSlots(), !vendor.isHost(), vendor.name());
          assertEquals(device.isHost(), vendor.isHost(), vendor.name());
        }
      }
    }
  }
}
