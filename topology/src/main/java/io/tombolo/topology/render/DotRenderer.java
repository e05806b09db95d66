// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import io.tombolo.topology.Survey;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.Routes;
import java.util.List;

/** A graph for Graphviz: a box per host; each accelerator with its nearest NIC; the network. */
final class DotRenderer {
  private static final String HEAD =
      """
      graph topology {
        rankdir=LR
        node [shape=box, style="rounded,filled", fontname="sans-serif", fillcolor=white]
        network [shape=ellipse, fillcolor="#e8eaee"]
      """;

  private final Drawn drawn;
  private final StringBuilder out = new StringBuilder(HEAD);

  private DotRenderer(Drawn drawn) {
    this.drawn = drawn;
  }

  static String render(Survey survey) {
    DotRenderer renderer = new DotRenderer(new Drawn(survey));
    renderer.line("  label=\"", TextRenderer.summary(survey), "\"");
    renderer.drawn.hosts().forEach(renderer::host);
    renderer.line("}");
    return renderer.out.toString();
  }

  private void host(int host) {
    Machine machine = drawn.host(host).machine();
    line("  subgraph cluster_" + host + " {");
    line("    label=\"", Escape.dot(drawn.title(host)), "\"");
    for (int i = 0; i < machine.nics().size(); i++) {
      nic(host, i, machine.nics().get(i));
    }
    for (int i = 0; i < machine.accelerators().size(); i++) {
      accelerator(host, i, machine);
    }
    line("  }");
    for (Nic nic : machine.rails()) {
      line("  ", nicNode(host, machine.nics().indexOf(nic)), " -- network");
    }
  }

  private void nic(int host, int index, Nic nic) {
    String speed = nic.isUp() ? Words.gigabits(nic.networkMegabytesPerSecond()) : "down";
    line("    ", nicNode(host, index), " [label=\"", Escape.dot(nic.name()), "\\n", speed, "\"]");
  }

  private void accelerator(int host, int index, Machine machine) {
    Accelerator accelerator = machine.accelerators().get(index);
    String node = "h" + host + "_a" + index;
    String label = drawn.name(host, index) + "\\n" + Escape.dot(accelerator.vendor());
    line("    ", node, " [label=\"", label, "\", fillcolor=\"", drawn.colour(host, index), "\"]");
    Routes routes = new Routes(machine);
    for (Nic nic : routes.nearestNic(accelerator.id()).map(List::of).orElse(List.of())) {
      String symbol = routes.between(accelerator.id(), nic.id()).symbol();
      String width = drawn.isRelay(host, index, nic.name()) ? ", penwidth=3" : "";
      String to = nicNode(host, machine.nics().indexOf(nic));
      line("    ", node, " -- ", to, " [label=\"", symbol, "\"", width, "]");
    }
  }

  private static String nicNode(int host, int nic) {
    return "h" + host + "_n" + nic;
  }

  private void line(String... parts) {
    out.append(String.join("", parts)).append('\n');
  }
}
