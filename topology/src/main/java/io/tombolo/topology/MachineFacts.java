// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Bridge;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.NumaNode;
import io.tombolo.topology.machine.PciPart;
import io.tombolo.topology.machine.Port;
import io.tombolo.topology.machine.VendorLink;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** A machine as named things with named facts, in words for people, so that two can be compared. */
final class MachineFacts {
  private final Map<String, Map<String, String>> things = new TreeMap<>();

  private MachineFacts(Machine machine) {
    thing("machine").put("environment", machine.environment());
    machine.numaNodes().forEach(this::numaNode);
    machine.parts().forEach(this::part);
    machine.vendorLinks().forEach(this::link);
  }

  /** What is in {@code machine}: facts by name, by the name of the thing. */
  static Map<String, Map<String, String>> of(Machine machine) {
    return new MachineFacts(machine).things;
  }

  private Map<String, String> thing(String name) {
    return things.computeIfAbsent(name, unseen -> new LinkedHashMap<>());
  }

  private void numaNode(NumaNode node) {
    Map<String, String> facts = thing("NUMA node " + node.id());
    facts.put("CPUs", node.cpus().toString());
    facts.put("memory", node.memoryBytes() / (1 << 20) + " MiB");
    facts.put("socket", Integer.toString(node.socket()));
  }

  private void part(PciPart part) {
    Map<String, String> facts = thing(name(part));
    facts.put("below", part.parent().isEmpty() ? "nothing" : part.parent());
    facts.put("NUMA node", Integer.toString(part.numaNode()));
    facts.put("link", part.megabytesPerSecond() + " MB/s");
    if (part instanceof Accelerator accelerator) {
      facts.put("model", accelerator.vendor() + " " + accelerator.model());
      facts.put("architecture", accelerator.architecture());
    } else if (part instanceof Nic nic) {
      facts.put("name", nic.name());
      facts.put("RDMA", nic.rdma() ? "yes" : "no");
      nic.ports().forEach(port -> facts.put("port " + port.number(), words(port)));
    }
  }

  private static String name(PciPart part) {
    String kind =
        part instanceof Bridge ? "bridge " : part instanceof Nic ? "NIC " : "accelerator ";
    return kind + part.id();
  }

  private static String words(Port port) {
    String state = port.active() ? "up" : "down";
    String speed = port.megabytesPerSecond() + " MB/s";
    return String.join(
            " ", state, speed, port.linkLayer(), port.guid(), String.join(" ", port.gids()))
        .strip();
  }

  private void link(VendorLink link) {
    Map<String, String> facts = thing("link " + link.a() + " – " + link.b());
    facts.put("kind", link.symbol());
    facts.put("carries", link.megabytesPerSecond() + " MB/s");
    facts.put("known from", link.source());
  }
}
