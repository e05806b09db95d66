// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.Host;
import io.tombolo.topology.Topology;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Bridge;
import io.tombolo.topology.machine.CpuSet;
import io.tombolo.topology.machine.KnownLinks;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.NumaNode;
import io.tombolo.topology.machine.PciIds;
import io.tombolo.topology.machine.Port;
import io.tombolo.topology.machine.VendorLink;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One host, from the XML of hwloc 1 and 2 ({@code lstopo --whole-io file.xml}). hwloc does not tell
 * how fast a port is, so a port is taken to be as fast as its PCI link.
 *
 * <p>Source: hwloc's hwloc2.dtd and doc/hwloc.doxy.
 */
final class HwlocXml {
  private static final Pattern TYPE =
      Pattern.compile("([0-9a-f]{4}) \\[([0-9a-f]{4}):([0-9a-f]{4})\\].*");
  private static final String OPENFABRICS = "3";
  private static final String ACTIVE = "4";

  private final MachineBuilder machine = new MachineBuilder("imported from hwloc", "");
  private final List<String> switchIds = new ArrayList<>();
  private final Map<String, String> deviceOfObject = new HashMap<>();

  private HwlocXml() {}

  static Topology read(XmlElement topology) {
    HwlocXml reader = new HwlocXml();
    XmlElement root =
        topology
            .children("object")
            .findFirst()
            .orElseThrow(() -> topology.wrong("has no <object>: hwloc wrote nothing here"));
    reader.walk(root, "", -1);
    reader.links(topology);
    String name = info(root, "HostName").orElse("host");
    return Topology.of(List.of(new Host(name, name, reader.machine.build())));
  }

  /**
   * What its matrices tell; for pairs that these are silent about, what follows from the boards.
   */
  private void links(XmlElement topology) {
    machine.vendorLinks.addAll(new HwlocLinks(deviceOfObject).read(topology));
    for (VendorLink deduced : KnownLinks.deduce(machine.accelerators, switchIds)) {
      if (machine.vendorLinks.stream().noneMatch(link -> link.joins(deduced.a(), deduced.b()))) {
        machine.vendorLinks.add(deduced);
      }
    }
  }

  private static Optional<String> info(XmlElement object, String name) {
    return object
        .children("info")
        .filter(info -> info.get("name", "").equals(name))
        .findFirst()
        .flatMap(info -> info.find("value"));
  }

  private void walk(XmlElement object, String bridge, int outerNuma) {
    String under = bridge;
    switch (object.get("type", "")) {
      case "NUMANode" -> addNumaNode(object);
      case "Bridge" -> under = addBridge(object, bridge, outerNuma);
      case "PCIDev" -> addDevice(object, bridge, outerNuma);
      default -> {}
    }
    int numa = numaOf(object).orElse(outerNuma);
    for (XmlElement child : object.children()) {
      walk(child, under, numa);
    }
  }

  /** hwloc 1 nests in the NUMA node; hwloc 2 hangs it beside its CPUs and devices. */
  private static Optional<Integer> numaOf(XmlElement object) {
    if (object.get("type", "").equals("NUMANode")) {
      return Optional.of(osIndex(object));
    }
    List<XmlElement> nodes =
        object.children().stream()
            .filter(child -> child.get("type", "").equals("NUMANode"))
            .toList();
    return nodes.size() == 1 ? Optional.of(osIndex(nodes.get(0))) : Optional.empty();
  }

  private static int osIndex(XmlElement object) {
    return (int) object.whole("os_index", 0, 0, 1 << 16);
  }

  private void addNumaNode(XmlElement node) {
    CpuSet cpus = node.find("cpuset").map(CpuSet::ofMask).orElse(CpuSet.ofList(""));
    long memory = node.whole("local_memory", 0, 0, Long.MAX_VALUE);
    machine.numaNodes.add(new NumaNode(osIndex(node), -1, cpus, memory));
  }

  private String addBridge(XmlElement bridge, String parent, int numa) {
    boolean host = bridge.get("bridge_type", "").startsWith("0-");
    String id =
        host ? "pci" + bridge.get("bridge_pci", "") : PciIds.address(bridge.get("pci_busid"));
    machine.bridges.add(new Bridge(id, host ? "" : parent, numa, linkSpeed(bridge)));
    return id;
  }

  private void addDevice(XmlElement device, String parent, int numa) {
    Matcher type = TYPE.matcher(device.get("pci_type"));
    if (!type.matches()) {
      throw device.wrong("pci_type='" + device.get("pci_type") + "' is not CLASS [VENDOR:DEVICE]");
    }
    int classId = Integer.parseInt(type.group(1), 16) << 8;
    int vendorId = Integer.parseInt(type.group(2), 16);
    String id = PciIds.address(device.get("pci_busid"));
    int width = linkSpeed(device);
    if (PciIds.isOtherBridge(classId)) {
      switchIds.add(type.group(3));
    } else if (PciIds.isNetwork(classId)) {
      addNic(device, new Bridge(id, parent, numa, width));
    } else {
      PciIds.acceleratorVendor(vendorId, classId)
          .ifPresent(
              vendor -> {
                machine.accelerators.add(
                    new Accelerator(id, parent, numa, width, vendor, type.group(3)));
                nameParts(device, id);
              });
    }
  }

  /** Links join what is below the PCI device: nvml0, rsmi0, ze0, ze0.1. */
  private void nameParts(XmlElement object, String device) {
    object.find("gp_index").ifPresent(index -> deviceOfObject.put(index, device));
    object.children().forEach(child -> nameParts(child, device));
  }

  private void addNic(XmlElement device, Bridge place) {
    List<XmlElement> names = device.children("object").toList();
    Optional<XmlElement> verbs =
        names.stream().filter(each -> each.get("osdev_type", "").equals(OPENFABRICS)).findFirst();
    String first = names.isEmpty() ? place.id() : names.get(0).get("name", place.id());
    boolean active =
        verbs.flatMap(each -> info(each, "Port1State")).map(ACTIVE::equals).orElse(true);
    String guid =
        verbs.flatMap(each -> info(each, "NodeGUID")).map(each -> each.replace(":", "")).orElse("");
    Port port = new Port(1, "", active, place.megabytesPerSecond(), guid, ImmutableList.of());
    machine.nics.add(
        new Nic(
            place.id(),
            place.parent(),
            place.numaNode(),
            place.megabytesPerSecond(),
            verbs.map(each -> each.get("name", first)).orElse(first),
            verbs.isPresent(),
            ImmutableList.of(port)));
  }

  /** hwloc gives decimal gigabytes per second, 0 where it does not know. */
  private static int linkSpeed(XmlElement object) {
    String text = object.get("pci_link_speed", "0");
    if (!text.matches("\\d{1,4}(\\.\\d{1,9})?")) {
      throw object.wrong("pci_link_speed='" + text + "' is not a number of gigabytes per second");
    }
    return (int) Math.round(Double.parseDouble(text) * 1000);
  }
}
