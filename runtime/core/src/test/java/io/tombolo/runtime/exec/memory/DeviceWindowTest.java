// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.ProtocolCounters;
import io.tombolo.rdma.verbs.VerbsFabrics;
import java.util.Arrays;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Emulated devices' memory over the emulated HCA's connections. */
public final class DeviceWindowTest {
  /** More than a ring holds, and no whole number of pages. */
  private static final int SIZE = (3 << 20) + 100_001;

  @DataProvider
  public Object[][] exporting() {
    return new Object[][] {{"emu-nvidia", "emu-kunlunxin"}, {"emu-kunlunxin", "emu-nvidia"}};
  }

  @Test(dataProvider = "exporting")
  public void shouldCarryDeviceMemoryWithoutACopyAndShowItWhenFlushed(String one, String other) {
    try (DeviceLink link = new DeviceLink(one, other, SIZE)) {
      byte[] sent = link.from().fill(1);
      byte[] before = link.to().fill(2);
      link.carry(3, SIZE - 3);
      assertEquals(link.sender().copiedBytes() + link.receiver().copiedBytes(), 0);
      assertEquals(link.sender().directBytes(), SIZE - 3);
      assertEquals(link.receiver().directBytes(), SIZE - 3);
      assertTrue(Arrays.equals(link.to().read(), before), "the device sees what is not flushed");
      link.to().device().flushRemoteWrites();
      System.arraycopy(sent, 3, before, 3, SIZE - 3);
      assertTrue(Arrays.equals(link.to().read(), before), "bytes differ");
    }
  }

  /** AMD's row exports no dma-buf, and no driver can pin what the emulated device gives. */
  @Test
  public void shouldCopyByTheDevicesEngineWhereItsMemoryCannotBeRegistered() {
    try (DeviceLink link = new DeviceLink("emu-amd", "emu-nvidia", SIZE)) {
      byte[] sent = link.from().fill(3);
      link.carry(0, SIZE);
      assertEquals(link.sender().copiedBytes(), SIZE);
      assertEquals(link.sender().directBytes(), 0);
      assertEquals(link.receiver().copiedBytes(), 0);
      link.to().device().flushRemoteWrites();
      assertTrue(Arrays.equals(link.to().read(), sent), "bytes differ");
    }
    try (DeviceLink link = new DeviceLink("emu-nvidia", "emu-ascend", SIZE)) {
      byte[] sent = link.from().fill(4);
      link.carry(0, SIZE);
      assertEquals(link.sender().copiedBytes(), 0);
      assertEquals(link.receiver().copiedBytes(), SIZE);
      assertTrue(Arrays.equals(link.to().read(), sent), "bytes differ");
    }
  }

  /** No processor can read that memory. What is sent again is read again. */
  @Test(dataProvider = "exporting")
  public void shouldSendDeviceMemoryWithoutACopyWhenPacketsGetLost(String one, String other) {
    EmulatedHca.set("LOSS_PERCENT", "1");
    try (DeviceLink link = new DeviceLink(VerbsFabrics::uc, one, other, SIZE)) {
      byte[] sent = link.from().fill(6);
      link.carry(0, SIZE);
      ProtocolCounters counters = link.sender().protocolCounters().orElseThrow();
      assertTrue(counters.payloadBytesRepeated > 0, "nothing got lost");
      assertEquals(link.sender().copiedBytes(), 0);
      assertEquals(link.sender().directBytes(), counters.payloadBytesSent);
      assertEquals(link.receiver().copiedBytes(), SIZE);
      assertTrue(Arrays.equals(link.to().read(), sent), "bytes differ");
    } finally {
      EmulatedHca.set("LOSS_PERCENT", "0");
    }
  }

  @Test
  public void shouldFailAndNotCrashWhenDeviceMemoryIsFreedUnderWay() {
    try (DeviceLink link = new DeviceLink("emu-nvidia", "emu-nvidia", SIZE)) {
      link.from().fill(5);
      link.expect(0, SIZE);
      link.to().free();
      UsageException error =
          expectThrows(UsageException.class, () -> link.until(() -> link.received() > 0));
      assertTrue(error.getMessage().contains("freed"), error.getMessage());
    }
  }
}
