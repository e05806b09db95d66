// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;

/** Says what of a vendor can be used in this process; run by {@link MissingSymbolsTest}. */
final class LackProgram {
  private LackProgram() {}

  public static void main(String[] arguments) {
    Vendor vendor = Vendors.named(arguments[0]);
    System.out.println(vendor.availability());
    if (vendor.availability().isAvailable()) {
      System.out.println("reducing: " + vendor.reducing());
      try (DeviceAdaptor device = vendor.openDevice(0);
          CclAdaptor ccl = vendor.openCcl(device)) {
        System.out.println("collectives: " + ccl.capabilities().primitives());
      }
    }
  }
}
