// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is publicly known of how a vendor joins the accelerators of one host, all to all. For links
 * that the system does not report, and for simulated hosts.
 *
 * <p>Sources: NVIDIA H100 and A100 data sheets (18 and 12 links of 25 GB/s each way, through
 * NVSwitch); AMD Instinct MI300X data sheet (seven links of 64 GB/s each way, one to each peer);
 * Intel Gaudi 2 and Gaudi 3 white papers (21 of 24 ports of 100 and 200 Gb/s, three to each peer).
 *
 * @param vendor vendor string
 * @param deviceId PCI device id, four hexadecimal digits
 * @param kind short name of the link
 * @param count links per pair
 * @param megabytesPerSecond bandwidth per link, one direction
 * @param switchId PCI device id of the switch that must be there too; empty if there is none
 * @param hostSize number of accelerators that a host with this fabric has; 0 if any
 */
record VendorFabric(
    String vendor,
    String deviceId,
    String kind,
    int count,
    int megabytesPerSecond,
    String switchId,
    int hostSize) {
  private static final ImmutableList<VendorFabric> KNOWN =
      ImmutableList.of(
          new VendorFabric("nvidia", "2330", "NV", 18, 25_000, "22a3", 0),
          new VendorFabric("nvidia", "2335", "NV", 18, 25_000, "22a3", 0),
          new VendorFabric("nvidia", "20b0", "NV", 12, 25_000, "1af1", 0),
          new VendorFabric("nvidia", "20b2", "NV", 12, 25_000, "1af1", 0),
          new VendorFabric("amd", "74a1", "XGMI", 1, 64_000, "", 8),
          new VendorFabric("gaudi", "1020", "HL", 3, 12_500, "", 8),
          new VendorFabric("gaudi", "1060", "HL", 3, 25_000, "", 8));

  static Optional<VendorFabric> ofDevice(String vendor, String deviceId) {
    return KNOWN.stream()
        .filter(row -> row.vendor.equals(vendor) && row.deviceId.equals(deviceId))
        .findFirst();
  }

  static Optional<VendorFabric> ofVendor(String vendor) {
    return KNOWN.stream().filter(row -> row.vendor.equals(vendor)).findFirst();
  }

  /** Every pair of {@code members} joined. */
  List<VendorLink> allToAll(List<Accelerator> members, String source) {
    List<VendorLink> links = new ArrayList<>();
    for (int a = 0; a < members.size(); a++) {
      for (int b = a + 1; b < members.size(); b++) {
        int width = count * megabytesPerSecond;
        links.add(
            new VendorLink(members.get(a).id(), members.get(b).id(), kind, count, width, source));
      }
    }
    return links;
  }
}
