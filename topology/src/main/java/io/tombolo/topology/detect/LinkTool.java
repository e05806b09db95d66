// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.KnownLinks;
import io.tombolo.topology.machine.VendorLink;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A vendor's program that prints how its accelerators are joined.
 *
 * <p>Sources: {@code nvidia-smi topo -m} prints {@code NV12} for twelve links. {@code xpu-smi
 * topology -m} (Intel XPU Manager's user guide, "Get the system topology") prints {@code XL16} for
 * sixteen lanes between two tiles; a lane has at most 90 Gb/s (i915_drm_prelim.h, {@code
 * prelim_drm_i915_query_fabric_info}).
 *
 * @param vendor vendor string
 * @param command what to run
 * @param cell what a cell with links looks like; its group is their number
 * @param kind short name of the link
 * @param megabytesPerSecond what one carries, one direction, where the board is not known
 */
record LinkTool(String vendor, String command, Pattern cell, String kind, int megabytesPerSecond) {
  static final ImmutableList<LinkTool> ALL =
      ImmutableList.of(
          new LinkTool(
              "nvidia", "nvidia-smi topo -m", Pattern.compile("NV(\\d{1,3})"), "NV", 25_000),
          new LinkTool(
              "intel", "xpu-smi topology -m", Pattern.compile("XL(\\d{1,3})"), "XE", 11_250));

  /** What the program prints, if it does. */
  Optional<LinkMatrix> matrix(SystemFiles files) {
    return files.output(command).map(text -> LinkMatrix.parse(text, cell));
  }

  VendorLink link(Accelerator a, Accelerator b, int count) {
    int each = KnownLinks.megabytesPerSecond(a).orElse(megabytesPerSecond);
    return new VendorLink(a.id(), b.id(), kind, count, count * each, command);
  }
}
