// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import static org.testng.Assert.assertEquals;

import io.tombolo.adaptors.vendor.BuiltInVendors;
import io.tombolo.topology.machine.Architectures;
import org.testng.annotations.Test;

/** A job goes by the vendors' rows, a topology on paper by a table: they must say the same. */
public class VendorArchitecturesTest {
  @Test
  public void shouldKeepApartWhatTheTableKeepsApart() {
    DeviceProperties device = new DeviceProperties("a model", "", 1, "a version");
    for (Vendor vendor : new BuiltInVendors().vendors()) {
      assertEquals(
          vendor.apart(device), Architectures.apart(vendor.name(), device.name()), vendor.name());
    }
  }
}
