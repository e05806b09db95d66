// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.Host;
import io.tombolo.topology.Recorded;
import io.tombolo.topology.machine.Accelerator;
import java.util.List;
import java.util.Locale;
import org.testng.annotations.Test;

public class ProbedDevicesTest {
  private static final Host DGX =
      Detection.of(RecordedFiles.parse(Recorded.text("machines/dgx-h100.txt"), "dgx-h100"));

  private static ProbedDevice device(String vendor, String pciAddress, boolean emulated) {
    return new ProbedDevice(
        vendor, 3, "its model", "", pciAddress, 80L << 30, "CUDA driver API 12080", emulated);
  }

  private static List<Accelerator> merged(ProbedDevice... devices) {
    return new ProbedDevices(ImmutableList.copyOf(devices))
        .mergedInto(DGX)
        .machine()
        .accelerators();
  }

  @Test
  public void shouldTakeADeviceThatBothKnowForOneAndNameItAsItsRuntimeDoes() {
    Accelerator seen = DGX.machine().accelerators().get(2);
    String inTheRuntimesSpelling = "0000" + seen.id().toUpperCase(Locale.ROOT);
    List<Accelerator> accelerators = merged(device("nvidia", inTheRuntimesSpelling, false));
    assertEquals(accelerators.size(), 8);
    assertEquals(
        accelerators.get(2),
        new Accelerator(
            seen.id(),
            seen.parent(),
            seen.numaNode(),
            seen.megabytesPerSecond(),
            "nvidia",
            "its model"));
    assertEquals(accelerators.get(1), DGX.machine().accelerators().get(1));
  }

  @Test
  public void shouldNotTakeAnEmulatedDeviceForARealOneWithTheAddressThatItMadeUp() {
    String taken = DGX.machine().accelerators().get(0).id();
    List<Accelerator> accelerators = merged(device("emu-nvidia", taken, true));
    assertEquals(accelerators.size(), 9);
    assertEquals(accelerators.get(0), DGX.machine().accelerators().get(0));
    assertEquals(
        accelerators.get(8), new Accelerator("emu-nvidia:3", "", -1, 0, "emu-nvidia", "its model"));
  }

  @Test
  public void shouldAddWhatTheKernelDoesNotKnow() {
    List<Accelerator> accelerators =
        merged(device("nvidia", "0000:fe:00.0", false), device("amd", "", false));
    assertEquals(accelerators.get(8).id(), "0000:fe:00.0");
    assertEquals(accelerators.get(9).id(), "amd:3");
  }

  @Test
  public void shouldKeepPlacesLinksAndNicsWhenMerging() {
    Host merged = new ProbedDevices(ImmutableList.of()).mergedInto(DGX);
    assertEquals(merged, DGX);
  }

  @Test
  public void shouldTellWhichDevicesNoRuntimeLists() {
    List<Accelerator> seen = DGX.machine().accelerators();
    ProbedDevices probed =
        new ProbedDevices(ImmutableList.of(device("nvidia", seen.get(5).id(), false)));
    List<Accelerator> missing = probed.missingFrom(seen);
    assertEquals(missing.size(), 7);
    assertTrue(!missing.contains(seen.get(5)), missing.toString());
  }
}
