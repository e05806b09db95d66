// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import io.tombolo.topology.Seat;
import io.tombolo.topology.Survey;
import io.tombolo.topology.Topology;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Bridge;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.PciLink;
import io.tombolo.topology.machine.PciPart;
import io.tombolo.topology.machine.Port;
import io.tombolo.topology.machine.VendorLink;
import java.util.HashMap;
import java.util.Map;

/**
 * NCCL's XML, which can be read back. As there, a CPU is a NUMA node, so host bridges of one node
 * become one; links of other kinds than NVLink and XGMI have no place in it and are left out.
 */
final class NcclXmlRenderer {
  private final Topology topology;
  private final Map<Seat, Integer> rankOfSeat = new HashMap<>();
  private final StringBuilder out = new StringBuilder("<system version=\"1\">\n");

  private NcclXmlRenderer(Topology topology) {
    this.topology = topology;
    for (int rank = 0; rank < topology.size(); rank++) {
      rankOfSeat.put(topology.seat(rank), rank);
    }
  }

  static String render(Survey survey) {
    NcclXmlRenderer renderer = new NcclXmlRenderer(survey.topology());
    for (int host = 0; host < survey.topology().hosts().size(); host++) {
      renderer.host(host);
    }
    return renderer.out.append("</system>\n").toString();
  }

  private void host(int host) {
    Machine machine = topology.hosts().get(host).machine();
    machine
        .parts()
        .map(PciPart::numaNode)
        .distinct()
        .sorted()
        .forEach(node -> cpu(host, machine, node));
  }

  private void cpu(int host, Machine machine, int node) {
    String affinity =
        machine.numaNodes().stream()
            .filter(each -> each.id() == node)
            .map(each -> " affinity=\"" + each.cpus().toMask() + "\"")
            .findFirst()
            .orElse("");
    String id = Escape.xml(topology.hosts().get(host).id());
    line(1, "<cpu host_hash=\"" + id + "\" numaid=\"" + node + "\"" + affinity + ">");
    machine
        .parts()
        .filter(part -> part.numaNode() == node && isTop(part, machine))
        .forEach(part -> part(host, machine, part, 2));
    line(1, "</cpu>");
  }

  /** Whether it hangs right under the CPU. */
  private static boolean isTop(PciPart part, Machine machine) {
    boolean hostBridge = part instanceof Bridge && part.parent().isEmpty();
    return !hostBridge
        && machine.bridges().stream()
            .noneMatch(above -> above.id().equals(part.parent()) && !above.isHostBridge());
  }

  private void part(int host, Machine machine, PciPart part, int depth) {
    if (part instanceof Nic nic && !nic.id().contains(":")) {
      nic(machine, nic, depth); // of no PCI function: NCCL hangs it under the CPU
      return;
    }
    String address = part.id().replaceFirst("/.*", ""); // two NICs of one function
    String link = PciLink.spell(part.megabytesPerSecond());
    line(depth, "<pci busid=\"" + Escape.xml(address) + "\" " + link + ">");
    if (part instanceof Accelerator accelerator) {
      accelerator(host, machine, accelerator, depth + 1);
    } else if (part instanceof Nic nic) {
      nic(machine, nic, depth + 1);
    }
    machine
        .parts()
        .filter(child -> child.parent().equals(part.id()))
        .forEach(child -> part(host, machine, child, depth + 1));
    line(depth, "</pci>");
  }

  private void accelerator(int host, Machine machine, Accelerator accelerator, int depth) {
    int index = machine.accelerators().indexOf(accelerator);
    int rank = rankOfSeat.getOrDefault(new Seat(host, index), -1);
    String vendor = Escape.xml(accelerator.vendor());
    line(
        depth,
        "<gpu dev=\"" + index + "\" rank=\"" + rank + "\" gdr=\"1\" vendor=\"" + vendor + "\">");
    for (VendorLink link : machine.vendorLinks()) {
      if (link.a().equals(accelerator.id()) || link.b().equals(accelerator.id())) {
        String other = link.a().equals(accelerator.id()) ? link.b() : link.a();
        vendorLink(link, other, depth + 1);
      }
    }
    line(depth, "</gpu>");
  }

  private void vendorLink(VendorLink link, String other, int depth) {
    if (link.kind().equals("NV") || link.kind().equals("XGMI")) {
      String element = link.kind().equals("NV") ? "nvlink" : "xgmi";
      line(
          depth,
          "<"
              + element
              + " target=\""
              + other
              + "\" count=\""
              + link.count()
              + "\" tclass=\"0x030200\"/>");
    }
  }

  private void nic(Machine machine, Nic nic, int depth) {
    line(depth, "<nic>");
    for (Port port : nic.ports()) {
      int megabits = port.active() ? port.megabytesPerSecond() * 8 : 0;
      String guid = port.guid().isEmpty() ? "0" : port.guid();
      line(
          depth + 1,
          "<net name=\""
              + Escape.xml(nic.name())
              + "\" dev=\""
              + machine.nics().indexOf(nic)
              + "\" speed=\""
              + megabits
              + "\" port=\""
              + port.number()
              + "\" guid=\"0x"
              + Escape.xml(guid)
              + "\" gdr=\""
              + (nic.rdma() ? 1 : 0)
              + "\"/>");
    }
    line(depth, "</nic>");
  }

  private void line(int depth, String text) {
    out.append("  ".repeat(depth)).append(text).append('\n');
  }
}
