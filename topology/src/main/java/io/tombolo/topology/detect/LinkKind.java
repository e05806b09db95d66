// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.machine.Accelerator;
import java.util.List;

/**
 * A vendor's own kind of link, for people who wonder why there is none.
 *
 * @param vendor vendor string
 * @param name what the vendor calls it
 * @param fix who would tell
 */
record LinkKind(String vendor, String name, String fix) {
  private static final String XE = "intel";
  static final ImmutableList<LinkKind> ALL =
      ImmutableList.of(
          new LinkKind("nvidia", "NVLink", "'nvidia-smi topo -m' would tell, and does not here"),
          new LinkKind("amd", "XGMI", "the driver amdgpu would tell, in /sys/class/kfd"),
          new LinkKind(
              XE,
              "Xe Link",
              "the driver iaf has ports and names no neighbours; 'xpu-smi topology -m' would, and"
                  + " does not here"),
          new LinkKind(
              "gaudi",
              "Gaudi's links",
              "they are known of hosts with eight cards of a known kind"));

  /**
   * Whether such devices may have links at all. Of Intel's, those have that the driver iaf serves,
   * with a folder {@code iaf.N} or {@code i915.iaf.N} below the device.
   */
  boolean isPossible(SystemFiles files, List<Accelerator> members) {
    return !vendor.equals(XE)
        || members.stream()
            .flatMap(each -> files.list("/sys/bus/pci/devices/" + each.id()).stream())
            .anyMatch(name -> name.startsWith("iaf.") || name.startsWith("i915.iaf."));
  }
}
