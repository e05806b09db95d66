// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import io.tombolo.topology.Topology;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.Port;
import io.tombolo.topology.machine.Routes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The devices of one kind of machine: accelerators against NICs, and the rails. */
final class MachineMatrix {
  private final Machine machine;
  private final Paint paint;
  private final StringBuilder out;

  private MachineMatrix(Machine machine, Paint paint, StringBuilder out) {
    this.machine = machine;
    this.paint = paint;
    this.out = out;
  }

  static void appendAll(Topology topology, Paint paint, StringBuilder out) {
    out.append('\n').append(paint.bold("Machines")).append('\n');
    List<List<String>> names = new ArrayList<>();
    topology.machines().forEach(machine -> names.add(new ArrayList<>()));
    for (int host = 0; host < topology.hosts().size(); host++) {
      names.get(topology.machineOf(host)).add(topology.hosts().get(host).name());
    }
    for (int index = 0; index < names.size(); index++) {
      new MachineMatrix(topology.machines().get(index), paint, out).append(names.get(index));
    }
  }

  private void append(List<String> hosts) {
    String where = machine.environment().isEmpty() ? "" : ", " + machine.environment();
    out.append("  ").append(Words.cut(hosts)).append(": ").append(Words.contents(machine));
    out.append(paint.faint("; " + machine.model() + where)).append('\n');
    if (!machine.accelerators().isEmpty() && !machine.nics().isEmpty()) {
      distances();
    }
    nics();
  }

  private void distances() {
    Routes routes = new Routes(machine);
    Columns columns = new Columns("    ");
    columns.row().cell(" ");
    machine.nics().forEach(nic -> columns.cell(nic.name(), paint::faint));
    for (Accelerator accelerator : machine.accelerators()) {
      columns.row().cell(accelerator.id());
      for (Nic nic : machine.nics()) {
        columns.cell(routes.between(accelerator.id(), nic.id()).symbol());
      }
    }
    columns.appendTo(out);
  }

  private void nics() {
    Columns columns = new Columns("    ");
    List<Nic> rails = machine.rails();
    for (Nic nic : machine.nics()) {
      columns
          .row()
          .cell(use(nic, rails))
          .cell(nic.name())
          .cell(nic.isUp() ? Words.gigabits(nic.networkMegabytesPerSecond()) : "-")
          .cell(nic.rdma() ? "RDMA" : "no RDMA")
          .cell(layers(nic))
          .cell(nic.numaNode() < 0 ? "" : "NUMA " + nic.numaNode());
    }
    columns.appendTo(out);
  }

  private static String use(Nic nic, List<Nic> rails) {
    if (!nic.isUp()) {
      return "down";
    }
    return rails.contains(nic) ? "rail " + rails.indexOf(nic) : "spare";
  }

  private static String layers(Nic nic) {
    return nic.ports().stream().map(Port::linkLayer).distinct().collect(Collectors.joining("+"));
  }
}
