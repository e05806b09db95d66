// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.Host;
import io.tombolo.topology.Seat;
import io.tombolo.topology.Topology;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Architectures;
import io.tombolo.topology.machine.Bridge;
import io.tombolo.topology.machine.CpuSet;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.NumaNode;
import io.tombolo.topology.machine.Port;
import io.tombolo.topology.machine.VendorLink;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads the JSON that {@link TopologyJsonWriter} writes; members it does not know are skipped. */
public final class TopologyJsonReader {
  private TopologyJsonReader() {}

  /** The topology in {@code text}, which {@code source} names in errors. */
  public static Topology read(String text, String source) {
    JsonCursor root = JsonCursor.parse(text, source);
    String format = root.string("format", "");
    if (!format.equals(TopologyJsonWriter.FORMAT)) {
      throw root.wrong("is not a topology: 'format' is not '" + TopologyJsonWriter.FORMAT + "'");
    }
    int version = root.integer("version", 0);
    if (version < 1 || version > TopologyJsonWriter.VERSION) {
      throw root.wrong(
          "has version " + version + "; this program reads 1 to " + TopologyJsonWriter.VERSION);
    }
    ImmutableList<Machine> machines = all(root, "machines", TopologyJsonReader::machine);
    List<Host> hosts = new ArrayList<>();
    for (JsonCursor host : root.list("hosts")) {
      hosts.add(host(host, machines));
    }
    ImmutableList<Seat> seats = all(root, "ranks", TopologyJsonReader::seat);
    return seats.isEmpty() ? Topology.of(hosts) : Topology.of(hosts, seats);
  }

  private static <T> ImmutableList<T> all(
      JsonCursor parent, String name, Function<JsonCursor, T> read) {
    return parent.list(name).stream().map(read).collect(ImmutableList.toImmutableList());
  }

  private static Host host(JsonCursor host, List<Machine> machines) {
    String id = host.string("id");
    if (machines.isEmpty()) {
      throw host.wrong("has no machine: the list 'machines' is empty");
    }
    int machine = (int) host.get("machine").whole(0, machines.size() - 1L);
    return new Host(id, host.string("name", id), machines.get(machine));
  }

  private static Seat seat(JsonCursor seat) {
    List<JsonCursor> pair = seat.elements();
    if (pair.size() != 2) {
      throw seat.wrong("is not [host, accelerator]");
    }
    return new Seat(
        (int) pair.get(0).whole(0, Integer.MAX_VALUE), (int) pair.get(1).whole(0, 1 << 16));
  }

  private static Machine machine(JsonCursor machine) {
    return new Machine(
        machine.string("model", "machine"),
        machine.string("environment", ""),
        all(machine, "numaNodes", TopologyJsonReader::numaNode),
        all(machine, "bridges", TopologyJsonReader::bridge),
        all(machine, "accelerators", TopologyJsonReader::accelerator),
        all(machine, "nics", TopologyJsonReader::nic),
        all(machine, "vendorLinks", TopologyJsonReader::vendorLink));
  }

  private static NumaNode numaNode(JsonCursor node) {
    return new NumaNode(
        (int) node.get("id").whole(0, 1 << 16),
        node.integer("socket", -1),
        CpuSet.ofList(node.string("cpus", "")),
        node.longInteger("memoryBytes", 0));
  }

  private static Bridge bridge(JsonCursor bridge) {
    return new Bridge(
        bridge.string("id"),
        bridge.string("parent", ""),
        bridge.integer("numaNode", -1),
        bridge.integer("megabytesPerSecond", 0));
  }

  private static Accelerator accelerator(JsonCursor accelerator) {
    String vendor = accelerator.string("vendor");
    if (vendor.isBlank()) {
      throw accelerator.wrong("has an empty vendor");
    }
    String model = accelerator.string("model", vendor);
    return new Accelerator(
        accelerator.string("id"),
        accelerator.string("parent", ""),
        accelerator.integer("numaNode", -1),
        accelerator.integer("megabytesPerSecond", 0),
        vendor,
        model,
        accelerator.string("architecture", Architectures.apart(vendor, model)));
  }

  private static Nic nic(JsonCursor nic) {
    String id = nic.string("id");
    return new Nic(
        id,
        nic.string("parent", ""),
        nic.integer("numaNode", -1),
        nic.integer("megabytesPerSecond", 0),
        nic.string("name", id),
        nic.bool("rdma", false),
        all(nic, "ports", TopologyJsonReader::port));
  }

  private static Port port(JsonCursor port) {
    return new Port(
        port.integer("number", 1),
        port.string("linkLayer", "Ethernet"),
        port.bool("active", true),
        port.integer("megabytesPerSecond", 0),
        port.string("guid", ""),
        all(port, "gids", JsonCursor::string));
  }

  private static VendorLink vendorLink(JsonCursor link) {
    return new VendorLink(
        link.string("a"),
        link.string("b"),
        link.string("kind"),
        link.integer("count", 1),
        link.integer("megabytesPerSecond", 0),
        link.string("source", ""));
  }
}
