// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceProperties;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Availability;
import io.tombolo.topology.detect.ProbedDevice;
import io.tombolo.topology.detect.ProbedDevices;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public final class EmulatedVendorsTest {

  @DataProvider
  public static Object[][] emulated() {
    return new Object[][] {
      {"emu-nvidia"},
      {"emu-amd"},
      {"emu-intel"},
      {"emu-ascend"},
      {"emu-kunlunxin"},
      {"emu-kunlunxin-xre"},
      {"emu-gaudi"},
      {"emu-cambricon"}
    };
  }

  @Test
  public void shouldBeFoundBesideTheRealVendors() {
    ImmutableList<String> names =
        Vendors.all().stream().map(Vendor::name).collect(ImmutableList.toImmutableList());
    assertTrue(
        names.containsAll(
            ImmutableList.of("amd", "emu-amd", "emu-intel", "emu-nvidia", "intel", "nvidia")),
        "" + names);
  }

  @Test(dataProvider = "emulated")
  public void shouldBeAvailableEverywhereAndSayThatItIsEmulated(String name) {
    Vendor vendor = Vendors.named(name);
    assertEquals(vendor.provenance(), Vendor.Provenance.EMULATED);
    assertTrue(vendor.availability().isAvailable(), "" + vendor.availability());
    try (DeviceAdaptor device = vendor.openDevice(1);
        CclAdaptor ccl = vendor.openCcl(device)) {
      assertTrue(
          device.properties().name().matches("(emulated|host) .*"), "" + device.properties());
      assertTrue(ccl.newUniqueId().length > 0);
    }
  }

  @Test(dataProvider = "emulated")
  public void shouldDescribeDevicesWithoutOpeningThemAsOpenOnesDo(String name) {
    Vendor vendor = Vendors.named(name);
    ImmutableList<DeviceProperties> described = vendor.devices();
    assertEquals(described.isEmpty(), name.equals("emu-intel"), "its device is the host itself");
    for (int ordinal = 0; ordinal < described.size(); ordinal++) {
      try (DeviceAdaptor device = vendor.openDevice(ordinal)) {
        assertEquals(described.get(ordinal), device.properties());
      }
    }
  }

  @Test
  public void shouldBeProbedOnlyWhenAskedFor() {
    ImmutableList<ProbedDevice> all = ProbedDevices.ofThisHost(true).devices();
    for (String name :
        ImmutableList.of(
            "emu-nvidia",
            "emu-amd",
            "emu-ascend",
            "emu-kunlunxin",
            "emu-kunlunxin-xre",
            "emu-gaudi",
            "emu-cambricon")) {
      assertEquals(
          all.stream().filter(each -> each.vendor().equals(name) && each.emulated()).count(),
          Vendors.named(name).devices().size());
    }
    assertTrue(
        ProbedDevices.ofThisHost(false).devices().stream().noneMatch(ProbedDevice::emulated));
  }

  @Test
  public void shouldSayWhatToDoWhereARealVendorIsMissing() {
    for (Vendor vendor : Vendors.all()) {
      if (vendor.availability() instanceof Availability.Missing missing) {
        assertTrue(missing.fix().length() > 20, vendor.name() + ": " + missing);
      }
    }
  }
}
