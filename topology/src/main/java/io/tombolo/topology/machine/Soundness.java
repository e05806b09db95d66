// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import com.google.common.collect.Iterables;
import io.tombolo.base.errors.UsageException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The rules that every machine obeys; what breaks them is told by name. */
final class Soundness {
  /** Far above any host; a file that says more is broken, and must not cost memory. */
  private static final int MAX_PARTS = 4096;

  private final String model;

  private Soundness(String model) {
    this.model = model;
  }

  static void check(
      List<NumaNode> numaNodes,
      List<Bridge> bridges,
      List<Accelerator> accelerators,
      List<Nic> nics,
      List<VendorLink> links,
      String model) {
    Soundness soundness = new Soundness(model);
    soundness.checkNumaNodes(numaNodes);
    Map<String, PciPart> parts = soundness.index(Iterables.concat(bridges, accelerators, nics));
    parts.values().forEach(part -> soundness.checkPlace(part, parts, numaNodes));
    bridges.forEach(bridge -> soundness.checkNoCycle(bridge, parts));
    soundness.checkPorts(nics);
    links.forEach(link -> soundness.checkLink(link, parts));
  }

  private void checkNumaNodes(List<NumaNode> numaNodes) {
    Set<Integer> seen = new HashSet<>();
    for (NumaNode node : numaNodes) {
      require(node.id() >= 0 && seen.add(node.id()), "NUMA node " + node.id() + " appears twice");
    }
  }

  private Map<String, PciPart> index(Iterable<PciPart> all) {
    Map<String, PciPart> parts = new HashMap<>();
    for (PciPart part : all) {
      require(!part.id().isBlank(), "a device has no id");
      require(parts.put(part.id(), part) == null, "device " + part.id() + " appears twice");
      require(parts.size() <= MAX_PARTS, "more than " + MAX_PARTS + " devices in one host");
    }
    return parts;
  }

  private void checkPlace(PciPart part, Map<String, PciPart> parts, List<NumaNode> numaNodes) {
    require(
        part.parent().isEmpty() || parts.get(part.parent()) instanceof Bridge,
        part.id() + " hangs under '" + part.parent() + "', which is no bridge of this machine");
    require(
        part.numaNode() < 0 || numaNodes.stream().anyMatch(node -> node.id() == part.numaNode()),
        part.id() + " is near NUMA node " + part.numaNode() + ", which does not exist");
    require(part.megabytesPerSecond() >= 0, part.id() + " has a negative bandwidth");
  }

  private void checkNoCycle(Bridge bridge, Map<String, PciPart> parts) {
    PciPart at = bridge;
    for (int steps = 0; !at.parent().isEmpty(); steps++) {
      require(steps < parts.size(), "bridge " + bridge.id() + " is above itself");
      at = parts.get(at.parent());
    }
  }

  private void checkPorts(List<Nic> nics) {
    Map<String, String> nicOfGuid = new HashMap<>();
    for (Nic nic : nics) {
      for (Port port : nic.ports()) {
        require(port.megabytesPerSecond() >= 0, nic.name() + " has a negative speed");
        String identity = port.guid() + " port " + port.number();
        String before = port.guid().isEmpty() ? null : nicOfGuid.put(identity, nic.name());
        require(
            before == null,
            "ports of " + before + " and " + nic.name() + " have the same GUID " + identity);
      }
    }
  }

  private void checkLink(VendorLink link, Map<String, PciPart> parts) {
    String name = link.symbol() + " link " + link.a() + " – " + link.b();
    require(
        parts.get(link.a()) instanceof Accelerator && parts.get(link.b()) instanceof Accelerator,
        name + ": an end is no accelerator of this machine");
    require(!link.a().equals(link.b()), name + " joins a device with itself");
    require(link.megabytesPerSecond() > 0 && link.count() > 0, name + " carries nothing");
  }

  private void require(boolean condition, String complaint) {
    if (!condition) {
      throw new UsageException("machine '" + model + "': " + complaint);
    }
  }
}
