// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.device.DeviceDialects;
import java.util.HexFormat;
import java.util.Map;
import org.testng.annotations.Test;

/** What the emulated device does to, and for, other processes. */
public final class DeviceProcessTest {

  @Test(timeOut = 300_000)
  public void shouldFaultWhenHostCodeTouchesADeviceAddress() {
    ChildProcess child = ChildProcess.run(DeviceProgram.class, Map.of(), "touch");
    assertTrue(child.output().contains("touching"), child.toString());
    assertFalse(child.output().contains("read "), "device memory was read by host code: " + child);
    assertNotEquals(child.exitCode(), 0, child.toString());
  }

  @Test(timeOut = 300_000)
  public void shouldLetHostCodeReadPinnedMemory() {
    ChildProcess child = ChildProcess.run(DeviceProgram.class, Map.of(), "read");
    assertTrue(child.output().contains("read [0, 0"), child.toString());
    assertEquals(child.exitCode(), 0);
  }

  @Test(timeOut = 300_000)
  public void shouldShareDeviceMemoryWithAnotherProcess() {
    byte[] bytes = {1, 2, 3, 127};
    try (DeviceAdaptor device = EmulatedLibrary.NVIDIA.devices(DeviceDialects.CUDA).open(0);
        DeviceMemory block = device.allocate(bytes.length)) {
      TestDevices.put(device, block.address(), bytes);
      String handle = HexFormat.of().formatHex(device.ipcHandle(block));
      ChildProcess child = ChildProcess.run(DeviceProgram.class, Map.of(), "import", handle);
      assertTrue(child.output().contains("found 0102037f"), child.toString());
      assertEquals(
          TestDevices.get(device, block.address(), bytes.length),
          new byte[] {2, 3, 4, -128},
          child.toString());
    }
  }

  @Test(timeOut = 300_000)
  public void shouldRefuseAHandleWhoseMemoryIsGone() {
    try (DeviceAdaptor device = EmulatedLibrary.NVIDIA.devices(DeviceDialects.CUDA).open(0)) {
      DeviceMemory block = device.allocate(64);
      String handle = HexFormat.of().formatHex(device.ipcHandle(block));
      block.close();
      ChildProcess child = ChildProcess.run(DeviceProgram.class, Map.of(), "import", handle);
      assertTrue(child.output().contains("CUDA_ERROR_INVALID_HANDLE"), child.toString());
    }
  }

  @Test(timeOut = 300_000)
  public void shouldFailTheAllocationThatTheEnvironmentNames() {
    ChildProcess child =
        ChildProcess.run(
            DeviceProgram.class, Map.of("TOMBOLO_EMU_FAIL_ALLOCATION", "2"), "allocate");
    assertTrue(child.output().contains("1 allocated 64"), child.toString());
    assertTrue(child.output().contains("2 failed: cuMemAlloc_v2 with 64 bytes"), child.toString());
    assertTrue(child.output().contains("3 allocated 64"), child.toString());
  }

  @Test(timeOut = 300_000)
  public void shouldFailTheStreamOfTheCopyThatTheEnvironmentNames() {
    ChildProcess child =
        ChildProcess.run(DeviceProgram.class, Map.of("TOMBOLO_EMU_FAIL_COPY", "1"), "copy");
    assertTrue(child.output().contains("CUDA_ERROR_LAUNCH_FAILED"), child.toString());
    assertFalse(child.output().contains("copied"), child.toString());
  }

  /** By a runtime whose frees do not wait: others would wait for that stream. */
  @Test(timeOut = 300_000)
  public void shouldFailTheStreamWhenItsWordIsFreedWhileItWaits() {
    ChildProcess child =
        ChildProcess.run(DeviceProgram.class, Map.of("TOMBOLO_EMU_KIND", "frees"), "free");
    assertTrue(child.output().contains("CUDA_ERROR_LAUNCH_FAILED"), child.toString());
    assertFalse(child.output().contains("passed"), child.toString());
  }

  @Test(timeOut = 300_000)
  public void shouldCarryACodeThatNobodyKnows() {
    Map<String, String> environment =
        Map.of("TOMBOLO_EMU_FAIL_COPY", "1", "TOMBOLO_EMU_STRANGE_CODE", "4711");
    ChildProcess child = ChildProcess.run(DeviceProgram.class, environment, "copy");
    assertTrue(
        child.output().contains("a code the vendor does not name (raw code 4711)"),
        child.toString());
  }

  @Test(timeOut = 300_000)
  public void shouldCallTheHostOnADaemonOfItsOwn() {
    ChildProcess child = ChildProcess.run(DeviceProgram.class, Map.of(), "function");
    assertTrue(child.output().contains("called on tombolo-host-function"), child.toString());
    assertTrue(child.output().contains("told on purpose"), child.toString());
    assertEquals(child.exitCode(), 0, child.toString());
  }

  @Test(timeOut = 300_000)
  public void shouldNotEnableAccessWhereDevicesDoNotReachEachOther() {
    ChildProcess child =
        ChildProcess.run(DeviceProgram.class, Map.of("TOMBOLO_EMU_NO_PEERS", "1"), "peer");
    assertTrue(child.output().contains("can false"), child.toString());
    assertTrue(
        child.output().contains("refused: device 0 cannot reach the memory of device 1"),
        child.toString());
  }

  @Test(timeOut = 300_000)
  public void shouldGiveNoWarningUnderCheckJni() {
    for (String what : new String[] {"copy", "allocate", "read", "function"}) {
      ChildProcess child = ChildProcess.run(DeviceProgram.class, Map.of(), what);
      assertEquals(child.exitCode(), 0, child.toString());
      assertFalse(child.output().contains("WARNING in native method"), child.toString());
      assertFalse(child.output().contains("FATAL ERROR in native method"), child.toString());
    }
  }
}
