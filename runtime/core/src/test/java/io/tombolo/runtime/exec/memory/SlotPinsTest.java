// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.HostPinner;
import io.tombolo.base.NativeMemory;
import java.lang.reflect.Proxy;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Slots of channels that come and go while nobody may wait for the device. */
public final class SlotPinsTest {
  private static final int SIZE = 3 * 4096;

  private DeviceAdaptor device;
  private NativeMemory memory;
  private long address;
  private SlotPins pins;

  @BeforeMethod
  public void open() {
    device = Vendors.named("emu-nvidia").openDevice(0);
    memory = NativeMemory.allocate(SIZE);
    address = memory.address();
    pins = new SlotPins(device);
  }

  @AfterMethod
  public void close() {
    pins.close();
    device.close();
  }

  @Test
  public void shouldPinAndFreeOnlyWhenSomebodySettles() {
    assertTrue(pins.reachSlots());
    HostPinner.Pin pin = pins.adopt(memory);
    assertFalse(device.reaches(address, SIZE));
    assertTrue(pins.isUnsettled());
    pins.settle();
    assertTrue(device.reaches(address, SIZE));
    assertFalse(pins.isUnsettled());
    pin.close();
    pin.close(); // harmless the second time
    assertTrue(device.reaches(address, SIZE), "the agent has unpinned it");
    assertEquals(memory.address(), address); // still mapped
    pins.settle();
    assertFalse(device.reaches(address, SIZE));
    assertThrows(IllegalStateException.class, memory::address);
  }

  @Test
  public void shouldFreeAtOnceWhatWasNotPinned() {
    pins.adopt(memory).close();
    assertThrows(IllegalStateException.class, memory::address);
    pins.settle();
    assertFalse(device.reaches(address, SIZE));
  }

  @Test
  public void shouldUnmapWhatAFabricWasOpenedWithOnceItIsUnpinned() {
    HostPinner.Pin pin = pins.pin(address, SIZE);
    assertTrue(device.reaches(address, SIZE));
    pin.closeWith(memory);
    assertFalse(device.reaches(address, SIZE));
    assertThrows(IllegalStateException.class, memory::address);
  }

  /** Else the device has what the kernel maps there next. */
  @Test
  public void shouldKeepMappedWhatATaintKeepsPinned() {
    HostPinner.Pin before = pins.pin(address, SIZE);
    device.taint();
    NativeMemory later = NativeMemory.allocate(SIZE);
    HostPinner.Pin meanwhile = pins.pin(later.address(), SIZE);
    before.closeWith(memory);
    meanwhile.closeWith(later);
    device.endTaint();
    assertEquals(memory.address(), address);
    assertTrue(device.reaches(later.address(), SIZE));
  }

  @Test
  public void shouldFreeInTheEndWhatNobodySettles() {
    HostPinner.Pin pin = pins.adopt(memory);
    pins.settle();
    pin.close();
    pins.close();
    assertFalse(device.reaches(address, SIZE));
    assertThrows(IllegalStateException.class, memory::address);
  }

  @Test
  public void shouldFreeWhatIsLeftWhileItIsBeingPinned() {
    HostPinner.Pin[] pin = new HostPinner.Pin[1];
    SlotPins slow =
        new SlotPins(
            (DeviceAdaptor)
                Proxy.newProxyInstance(
                    DeviceAdaptor.class.getClassLoader(),
                    new Class<?>[] {DeviceAdaptor.class},
                    (proxy, method, arguments) -> {
                      Object result = method.invoke(device, arguments);
                      if (method.getName().equals("register")) {
                        pin[0].close();
                        assertEquals(memory.address(), address); // mapped while it is pinned
                      }
                      return result;
                    }));
    pin[0] = slow.adopt(memory);
    slow.settle();
    assertFalse(device.reaches(address, SIZE));
    assertThrows(IllegalStateException.class, memory::address);
  }

  @Test
  public void shouldLeaveWhatAStuckDeviceMayUse() {
    HostPinner.Pin pin = pins.adopt(memory);
    pins.settle();
    device.taint();
    pin.close();
    pins.settle();
    pins.close();
    assertEquals(memory.address(), address);
  }

  @Test
  public void shouldFreeWhatTheHostHadPinnedAfterAFailureToo() {
    try (DeviceAdaptor host = Vendors.named("host").openDevice(0)) {
      SlotPins nominal = new SlotPins(host);
      HostPinner.Pin pin = nominal.adopt(memory);
      nominal.settle();
      host.taint();
      pin.close();
      nominal.close();
    }
    assertThrows(IllegalStateException.class, memory::address);
  }

  @Test
  public void shouldReachNoSlotsForTheHost() {
    try (DeviceAdaptor host = Vendors.named("host").openDevice(0)) {
      assertFalse(new SlotPins(host).reachSlots());
    }
    memory.close();
  }
}
