// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import io.tombolo.adaptors.Vendors;

/** Says whether a vendor can be used in this process; run by {@link VendorMissingTest}. */
final class AvailabilityProgram {
  private AvailabilityProgram() {}

  public static void main(String[] arguments) {
    System.out.println(Vendors.named(arguments[0]).availability());
  }
}
