// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import com.google.gson.stream.JsonWriter;
import io.tombolo.topology.Host;
import io.tombolo.topology.Seat;
import io.tombolo.topology.Topology;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Bridge;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.NumaNode;
import io.tombolo.topology.machine.PciPart;
import io.tombolo.topology.machine.Port;
import io.tombolo.topology.machine.VendorLink;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * Writes a topology as JSON; the schema is in docs/topology.md. Machines stand there once, however
 * many hosts are built alike.
 */
public final class TopologyJsonWriter {
  /** The document's member {@code format}. */
  public static final String FORMAT = "tombolo-topology";

  /** The document's member {@code version}; grows when readers must know of a change. */
  public static final int VERSION = 1;

  private final JsonWriter json;

  private TopologyJsonWriter(JsonWriter json) {
    this.json = json;
  }

  /** The document, ending with a line break. */
  public static String write(Topology topology) {
    StringWriter text = new StringWriter();
    try (JsonWriter json = new JsonWriter(text)) {
      json.setIndent("  ");
      json.setHtmlSafe(false);
      new TopologyJsonWriter(json).document(topology);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a StringWriter does not fail
    }
    return text.append('\n').toString();
  }

  private interface Body<T> {
    void write(T value) throws IOException;
  }

  private void document(Topology topology) throws IOException {
    json.beginObject();
    json.name("format").value(FORMAT).name("version").value(VERSION);
    list("machines", topology.machines(), this::machine);
    json.name("hosts").beginArray();
    for (int host = 0; host < topology.hosts().size(); host++) {
      host(topology.hosts().get(host), topology.machineOf(host));
    }
    json.endArray();
    if (!topology.isNatural()) {
      seats(topology);
    }
    json.endObject();
  }

  private void host(Host host, int machine) throws IOException {
    json.beginObject();
    json.name("id").value(host.id()).name("name").value(host.name());
    json.name("machine").value(machine);
    json.endObject();
  }

  private void seats(Topology topology) throws IOException {
    json.name("ranks").beginArray();
    for (int rank = 0; rank < topology.size(); rank++) {
      Seat seat = topology.seat(rank);
      json.beginArray().value(seat.host()).value(seat.accelerator()).endArray();
    }
    json.endArray();
  }

  private void machine(Machine machine) throws IOException {
    json.beginObject();
    json.name("model").value(machine.model());
    json.name("environment").value(machine.environment());
    list("numaNodes", machine.numaNodes(), this::numaNode);
    list("bridges", machine.bridges(), this::bridge);
    list("accelerators", machine.accelerators(), this::accelerator);
    list("nics", machine.nics(), this::nic);
    list("vendorLinks", machine.vendorLinks(), this::vendorLink);
    json.endObject();
  }

  private void numaNode(NumaNode node) throws IOException {
    json.beginObject();
    json.name("id").value(node.id()).name("socket").value(node.socket());
    json.name("cpus").value(node.cpus().toString());
    json.name("memoryBytes").value(node.memoryBytes());
    json.endObject();
  }

  private void bridge(Bridge bridge) throws IOException {
    json.beginObject();
    place(bridge);
    json.endObject();
  }

  private void accelerator(Accelerator accelerator) throws IOException {
    json.beginObject();
    place(accelerator);
    json.name("vendor").value(accelerator.vendor()).name("model").value(accelerator.model());
    if (!accelerator.architecture().isEmpty()) {
      json.name("architecture").value(accelerator.architecture());
    }
    json.endObject();
  }

  private void nic(Nic nic) throws IOException {
    json.beginObject();
    place(nic);
    json.name("name").value(nic.name()).name("rdma").value(nic.rdma());
    list("ports", nic.ports(), this::port);
    json.endObject();
  }

  private void place(PciPart part) throws IOException {
    json.name("id").value(part.id()).name("parent").value(part.parent());
    json.name("numaNode").value(part.numaNode());
    json.name("megabytesPerSecond").value(part.megabytesPerSecond());
  }

  private void port(Port port) throws IOException {
    json.beginObject();
    json.name("number").value(port.number()).name("linkLayer").value(port.linkLayer());
    json.name("active").value(port.active());
    json.name("megabytesPerSecond").value(port.megabytesPerSecond());
    json.name("guid").value(port.guid());
    list("gids", port.gids(), json::value);
    json.endObject();
  }

  private void vendorLink(VendorLink link) throws IOException {
    json.beginObject();
    json.name("a").value(link.a()).name("b").value(link.b());
    json.name("kind").value(link.kind()).name("count").value(link.count());
    json.name("megabytesPerSecond").value(link.megabytesPerSecond());
    json.name("source").value(link.source());
    json.endObject();
  }

  private <T> void list(String name, List<T> values, Body<T> body) throws IOException {
    json.name(name).beginArray();
    for (T value : values) {
      body.write(value);
    }
    json.endArray();
  }
}
