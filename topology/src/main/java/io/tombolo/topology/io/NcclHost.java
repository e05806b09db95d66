// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.SetMultimap;
import io.tombolo.topology.Topology;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Bridge;
import io.tombolo.topology.machine.CpuSet;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.NumaNode;
import io.tombolo.topology.machine.PciIds;
import io.tombolo.topology.machine.PciLink;
import io.tombolo.topology.machine.Port;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** One host of an NCCL topology document. */
final class NcclHost {
  private static final int MAX_MEGABITS = 100_000_000;
  private static final int MAX_LINKS = 1024;
  private static final int NVIDIA = 0x10de;
  private static final int AMD = 0x1002;

  /** Source: systemd.net-naming-scheme(7), and the kernel's own names. */
  private static final Pattern INTERFACE =
      Pattern.compile("(eth\\d|en[bcopsvxi]|ibp?\\d|ibs\\d|bond|wl|br|hsn\\d|lo).*");

  private final MachineBuilder machine = new MachineBuilder("imported from NCCL", "");
  private final List<Optional<Integer>> ranks = new ArrayList<>();
  private final NcclLinks links = new NcclLinks();
  private final SetMultimap<String, String> nicNames = LinkedHashMultimap.create();

  /** The rank of each accelerator, in the machine's order. */
  List<Optional<Integer>> ranks() {
    return ranks;
  }

  Machine machine() {
    links.between(machine.accelerators).forEach(machine.vendorLinks::add);
    return machine.build();
  }

  void addCpu(XmlElement cpu) {
    int numa = (int) cpu.whole("numaid", -1, -1, 1 << 16);
    String root = "cpu" + numa;
    if (numa >= 0) {
      CpuSet cpus = cpu.find("affinity").map(CpuSet::ofMask).orElse(CpuSet.ofList(""));
      machine.numaNodes.add(new NumaNode(numa, -1, cpus, 0));
    }
    machine.bridges.add(new Bridge(root, "", numa, 0));
    addChildren(cpu, root, numa);
  }

  private void addChildren(XmlElement parent, String bridge, int numa) {
    parent.children("pci").forEach(pci -> addPci(pci, bridge, numa));
    parent.children("nic").forEach(nic -> addNic(nic, "", bridge, numa, 0));
  }

  private void addPci(XmlElement pci, String parent, int numa) {
    String id = PciIds.address(pci.get("busid"));
    int width = PciLink.megabytesPerSecond(pci.get("link_speed", ""), pci.get("link_width", ""));
    Optional<XmlElement> accelerator =
        pci.children().stream().filter(NcclHost::isAccelerator).findFirst();
    if (accelerator.isPresent()) {
      addAccelerator(pci, accelerator.get(), new Bridge(id, parent, numa, width));
    } else if (pci.children("nic").findAny().isPresent()) {
      pci.children("nic").forEach(nic -> addNic(nic, id, parent, numa, width));
    } else if (pci.children("pci").findAny().isPresent()) {
      machine.bridges.add(new Bridge(id, parent, numa, width));
      addChildren(pci, id, numa);
    } else {
      addLeaf(pci, new Bridge(id, parent, numa, width));
    }
  }

  /**
   * What is given to NCCL ({@code NCCL_TOPO_FILE}), rather than dumped by it, tells only where
   * devices sit; a NIC's port is then taken to be as fast as its PCI link.
   */
  private void addLeaf(XmlElement pci, Bridge place) {
    int classId = classId(pci);
    XmlElement unsaid = XmlElement.of("gpu", "", ImmutableMap.of());
    if (PciIds.isNetwork(classId)) {
      Port port = new Port(1, "", true, place.megabytesPerSecond(), "", ImmutableList.of());
      machine.nics.add(
          new Nic(
              place.id(),
              place.parent(),
              place.numaNode(),
              place.megabytesPerSecond(),
              place.id(),
              true,
              ImmutableList.of(port)));
    } else if (PciIds.acceleratorVendor(vendorId(pci, unsaid), classId).isPresent()) {
      addAccelerator(pci, unsaid, place);
    }
  }

  private static int classId(XmlElement pci) {
    return (int) pci.whole("class", 0, 0, 0xffffff);
  }

  /** Versions that do not tell are NCCL's, or RCCL's, which tells the GPU's gcn. */
  private static int vendorId(XmlElement pci, XmlElement gpu) {
    int silent = gpu.find("gcn").isPresent() ? AMD : NVIDIA;
    return (int) pci.whole("vendor", silent, 0, 0xffff);
  }

  private static boolean isAccelerator(XmlElement element) {
    return element.name().equals("gpu") || element.name().equals("apu");
  }

  private void addAccelerator(XmlElement pci, XmlElement device, Bridge place) {
    int vendorId = vendorId(pci, device);
    String vendor =
        device
            .find("vendor")
            .map(name -> name.toLowerCase(Locale.ROOT))
            .or(() -> PciIds.acceleratorVendor(vendorId, classId(pci)))
            .orElse("pci-" + String.format(Locale.ROOT, "%04x", vendorId));
    String model = pci.get("device", vendor).replaceFirst("^0x", "");
    machine.accelerators.add(
        new Accelerator(
            place.id(),
            place.parent(),
            place.numaNode(),
            place.megabytesPerSecond(),
            vendor,
            model));
    long rank = device.whole("rank", -1, -1, Topology.MAX_RANKS - 1L);
    ranks.add(rank < 0 ? Optional.empty() : Optional.of((int) rank));
    links.add(place.id(), device, MAX_LINKS);
  }

  private void addNic(XmlElement nic, String address, String parent, int numa, int width) {
    nic.children("net")
        .forEach(
            net -> {
              String name = net.get("name");
              String id = address.isEmpty() ? name : address;
              String unique = nicNames.get(id).isEmpty() ? id : id + "/" + name;
              nicNames.put(id, name);
              ImmutableList<Port> ports = ImmutableList.of(port(net));
              machine.nics.add(new Nic(unique, parent, numa, width, name, isRdma(net), ports));
            });
  }

  /**
   * NCCL's own sockets have port and GUID 0; versions that say neither are told by the names that
   * Linux gives to interfaces. Source: ncclNetSocketGetProperties in src/transport/net_socket.cc.
   */
  private static boolean isRdma(XmlElement net) {
    Optional<String> port = net.find("port");
    return port.isPresent()
        ? !port.get().equals("0") || !net.get("guid", "0x0").matches("0x0*")
        : !INTERFACE.matcher(net.get("name")).matches();
  }

  private static Port port(XmlElement net) {
    int megabytes = Port.megabytesPerSecond(net.whole("speed", 0, 0, MAX_MEGABITS));
    String guid = net.get("guid", "").replaceFirst("^0x0*", "");
    int number = (int) net.whole("port", 1, 0, 255);
    return new Port(number, "", megabytes > 0, megabytes, guid, ImmutableList.of());
  }
}
