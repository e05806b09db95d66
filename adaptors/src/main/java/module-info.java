// SPDX-License-Identifier: Apache-2.0
/** One seam per vendor; start at {@link io.tombolo.adaptors.Vendors}. */
module io.tombolo.adaptors {
  requires transitive io.tombolo.base;
  requires transitive io.tombolo.topology;
  requires org.slf4j;

  exports io.tombolo.adaptors;
  exports io.tombolo.adaptors.ccl;
  exports io.tombolo.adaptors.device;
  exports io.tombolo.adaptors.reduce;
  exports io.tombolo.adaptors.vendor;

  uses io.tombolo.adaptors.VendorProvider;

  provides io.tombolo.adaptors.VendorProvider with
      io.tombolo.adaptors.vendor.BuiltInVendors;
  provides io.tombolo.topology.detect.DeviceProbe with
      io.tombolo.adaptors.VendorProbe;
}
