// SPDX-License-Identifier: Apache-2.0
/** Emulated vendors, for machines without accelerators; start at {@code EmulatedVendors}. */
module io.tombolo.emulated {
  requires io.tombolo.adaptors;

  provides io.tombolo.adaptors.VendorProvider with
      io.tombolo.emulated.EmulatedVendors;
}
