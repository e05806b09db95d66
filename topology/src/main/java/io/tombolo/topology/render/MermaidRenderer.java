// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import io.tombolo.topology.Cluster;
import io.tombolo.topology.Survey;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.Routes;
import java.util.List;

/** A Mermaid flowchart, which Markdown viewers draw. */
final class MermaidRenderer {
  private final Drawn drawn;
  private final StringBuilder out = new StringBuilder("flowchart LR\n  network((network))\n");

  private MermaidRenderer(Drawn drawn) {
    this.drawn = drawn;
  }

  static String render(Survey survey) {
    MermaidRenderer renderer = new MermaidRenderer(new Drawn(survey));
    renderer.drawn.hosts().forEach(renderer::host);
    for (Cluster cluster : survey.clustering().clusters()) {
      String colour = Colours.of(cluster.index());
      renderer.line("  classDef c" + cluster.index(), " fill:", colour, ",stroke:#555");
    }
    return renderer.out.toString();
  }

  private void host(int host) {
    Machine machine = drawn.host(host).machine();
    line("  subgraph h" + host, "[\"", Escape.mermaid(drawn.title(host)), "\"]");
    for (int i = 0; i < machine.nics().size(); i++) {
      String name = Escape.mermaid(machine.nics().get(i).name());
      line("    ", nicNode(host, i), "[/\"", name, "\"/]");
    }
    for (int i = 0; i < machine.accelerators().size(); i++) {
      accelerator(host, i, machine);
    }
    line("  end");
    for (Nic nic : machine.rails()) {
      String speed = Words.gigabits(nic.networkMegabytesPerSecond());
      line("  ", nicNode(host, machine.nics().indexOf(nic)), " ---|\"", speed, "\"| network");
    }
  }

  private void accelerator(int host, int index, Machine machine) {
    Accelerator accelerator = machine.accelerators().get(index);
    String node = "h" + host + "a" + index;
    String label = drawn.name(host, index) + "<br/>" + Escape.mermaid(accelerator.vendor());
    String style = drawn.cluster(host, index).map(cluster -> ":::c" + cluster).orElse("");
    line("    ", node, "[\"", label, "\"]", style);
    Routes routes = new Routes(machine);
    for (Nic nic : routes.nearestNic(accelerator.id()).map(List::of).orElse(List.of())) {
      String symbol = routes.between(accelerator.id(), nic.id()).symbol();
      String link = drawn.isRelay(host, index, nic.name()) ? " ===|" : " ---|";
      line("    ", node, link, symbol, "| ", nicNode(host, machine.nics().indexOf(nic)));
    }
  }

  private static String nicNode(int host, int nic) {
    return "h" + host + "n" + nic;
  }

  private void line(String... parts) {
    out.append(String.join("", parts)).append('\n');
  }
}
