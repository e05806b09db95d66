// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import static org.testng.Assert.assertEquals;

import com.google.common.base.Ticker;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.JobToken;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.verbs.VerbsFabrics;
import io.tombolo.rdma.verbs.VerbsSettings;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Which way the emulated HCA reaches the memory of emulated devices. */
public final class DirectFabricsTest {

  @DataProvider
  public static Object[][] vendors() {
    return new Object[][] {
      {"emu-nvidia", true}, {"emu-kunlunxin", true}, {"host", true},
      {"emu-amd", false}, {"emu-ascend", false}, {"emu-gaudi", false},
    };
  }

  @Test(dataProvider = "vendors")
  public void shouldFlushWhereTheRuntimeHasACallForIt(String vendor, boolean flushes) {
    try (DeviceAdaptor device = Vendors.named(vendor).openDevice(0)) {
      assertEquals(device.flushesRemoteWrites(), flushes);
    }
  }

  @Test
  public void shouldHaveNicsWriteOnlyWhereTheDeviceCanBeShownWhatCame() {
    try (DeviceAdaptor device = Vendors.named("emu-nvidia").openDevice(0);
        Fabric nic = nic(device)) {
      DirectFabrics both = DirectFabrics.among(List.of(nic), device, true);
      assertEquals(both.sending(), Set.of(nic));
      assertEquals(both.receiving(), Set.of(nic));
      DirectFabrics out = DirectFabrics.among(List.of(nic), unflushed(device), true);
      assertEquals(out.sending(), Set.of(nic));
      assertEquals(out.receiving(), Set.of());
    }
  }

  /** {@code device}, if its runtime had no call for flushing. */
  private static DeviceAdaptor unflushed(DeviceAdaptor device) {
    return (DeviceAdaptor)
        Proxy.newProxyInstance(
            DeviceAdaptor.class.getClassLoader(),
            new Class<?>[] {DeviceAdaptor.class},
            (proxy, method, arguments) ->
                method.getName().equals("flushesRemoteWrites")
                    ? false
                    : method.invoke(device, arguments));
  }

  private static Fabric nic(DeviceAdaptor device) {
    return VerbsFabrics.rc(
        new FabricSettings(
            0,
            JobToken.random(),
            (address, bytes) -> device.register(address, bytes)::close,
            SlotGeometry.DEFAULT,
            Ticker.systemTicker()),
        VerbsSettings.from(Map.of("ibverbs", EmulatedHca.library()))
            .withDevice(EmulatedHca.device(0)),
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }
}
