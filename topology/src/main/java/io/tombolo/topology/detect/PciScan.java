// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.topology.machine.Bridge;
import io.tombolo.topology.machine.PciLink;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The functions on the PCI buses, from {@code /sys/bus/pci/devices}. */
final class PciScan {
  private static final String DEVICES = "/sys/bus/pci/devices";

  private final SystemFiles files;
  private final Map<String, PciFunction> functions = new LinkedHashMap<>();
  private final Map<String, String> addressOfPath = new HashMap<>();

  PciScan(SystemFiles files) {
    this.files = files;
    for (String address : files.list(DEVICES)) {
      files
          .resolve(DEVICES + "/" + address)
          .ifPresent(path -> functions.put(address, function(address, path)));
    }
  }

  /** By address, in order of addresses. */
  ImmutableMap<String, PciFunction> functions() {
    return ImmutableMap.copyOf(functions);
  }

  /** The function whose sysfs folder is {@code path} or above it. */
  Optional<PciFunction> owner(String path) {
    for (String at = path; !at.isEmpty(); at = at.substring(0, at.lastIndexOf('/'))) {
      String address = addressOfPath.get(at);
      if (address != null) {
        return Optional.of(functions.get(address));
      }
    }
    return Optional.empty();
  }

  /** The bridges above these functions, host bridges included, from the CPU down. */
  ImmutableList<Bridge> bridgesAbove(Collection<PciFunction> leaves) {
    Map<String, Bridge> bridges = new LinkedHashMap<>();
    for (PciFunction leaf : leaves) {
      String parent = "";
      for (String id : leaf.above()) {
        bridges.putIfAbsent(id, bridge(id, parent, leaf.numaNode()));
        parent = id;
      }
    }
    return ImmutableList.copyOf(bridges.values());
  }

  private Bridge bridge(String id, String parent, int numaOfLeaf) {
    PciFunction function = functions.get(id);
    return function == null
        ? new Bridge(id, parent, numaOfLeaf, 0)
        : new Bridge(id, parent, function.numaNode(), function.megabytesPerSecond());
  }

  private PciFunction function(String address, String path) {
    addressOfPath.put(path, address);
    return new PciFunction(
        address,
        number(path, "vendor"),
        number(path, "device"),
        number(path, "class"),
        numaNode(path),
        linkMegabytesPerSecond(path),
        physicalFunction(path),
        above(path));
  }

  /**
   * The lesser maximum of a link's two ends, the function and the port above it. The current speed
   * says less: an idle link falls back to 2.5 GT/s. Source: NCCL does so, ncclTopoGetPciNode and
   * ncclTopoGetXmlFromSys in src/graph/xml.cc.
   */
  private int linkMegabytesPerSecond(String path) {
    int own = endMegabytesPerSecond(path);
    int port = endMegabytesPerSecond(path.substring(0, path.lastIndexOf('/')));
    return own == 0 || port == 0 ? Math.max(own, port) : Math.min(own, port);
  }

  /** What is current counts only where the kernel does not tell the maximum. */
  private int endMegabytesPerSecond(String path) {
    int most =
        PciLink.megabytesPerSecond(
            attribute(path, "max_link_speed"), attribute(path, "max_link_width"));
    return most > 0
        ? most
        : PciLink.megabytesPerSecond(
            attribute(path, "current_link_speed"), attribute(path, "current_link_width"));
  }

  /** Source: the kernel's Documentation/ABI/testing/sysfs-bus-pci, physfn. */
  private String physicalFunction(String path) {
    return files
        .readLink(path + "/physfn")
        .map(link -> link.substring(link.lastIndexOf('/') + 1))
        .orElse("");
  }

  /** {@code /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0} is below the first two. */
  private static ImmutableList<String> above(String path) {
    List<String> parts = Splitter.on('/').omitEmptyStrings().splitToList(path);
    List<String> above = new ArrayList<>();
    for (String part : parts.subList(0, parts.size() - 1)) {
      if (part.startsWith("pci") && part.contains(":")) {
        above.clear();
        above.add(part);
      } else if (!above.isEmpty()) {
        above.add(part);
      }
    }
    return ImmutableList.copyOf(above);
  }

  private int numaNode(String path) {
    String text = attribute(path, "numa_node");
    return text.matches("\\d{1,5}") ? Integer.parseInt(text) : -1;
  }

  private int number(String path, String name) {
    String text = attribute(path, name);
    return text.matches("0x[0-9a-fA-F]{1,6}") ? Integer.decode(text) : 0;
  }

  private String attribute(String path, String name) {
    return files.read(path + "/" + name).orElse("");
  }
}
