// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.NumaNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One host: the vendor's links on top, accelerators, the PCI switches, NICs; NUMA nodes behind. A
 * thick line leads from a relay to the NIC it speaks through.
 */
final class SvgCard {
  static final double WIDTH = 530;
  private static final double PADDING = 16;
  private static final int PILE = 2;
  private static final double PILE_STEP = 5;
  private static final double MAX_SLOT = 70;
  private static final double LINKS_TOP = 58;
  private static final double LINK_HEIGHT = 18;
  private static final double LINK_STEP = 24;
  private static final double TILE_HEIGHT = 42;
  private static final double SWITCH_GAP = 20;
  private static final double SWITCH_HEIGHT = 8;
  private static final double NIC_HEIGHT = 36;
  private static final double FOOT = 32;
  private static final double PIXELS_PER_LETTER = 5.3;
  private static final double TILE_SHARE = 0.88;
  private static final double ROOM_FOR_WORDS = 32;
  private static final double ROOM_FOR_NUMBER = 14;

  private final SvgCanvas canvas;
  private final Drawn drawn;
  private final int host;
  private final Machine machine;
  private final Arrangement placement;
  private final double left;
  private final double top;
  private final double slot;
  private final LinkRows links;
  private final double tilesTop;

  SvgCard(SvgCanvas canvas, Drawn drawn, int host, double left, double top) {
    this.canvas = canvas;
    this.drawn = drawn;
    this.host = host;
    this.machine = drawn.host(host).machine();
    this.placement = new Arrangement(machine);
    this.left = left;
    this.top = top;
    this.slot = Math.min(MAX_SLOT, (WIDTH - 2 * PADDING) / Math.max(1, placement.slots()));
    this.links = new LinkRows(machine, placement);
    this.tilesTop = top + LINKS_TOP + links.rows() * LINK_STEP + 8;
  }

  /** How high the card of a machine is. */
  static double height(Machine machine) {
    double links = new LinkRows(machine, new Arrangement(machine)).rows() * LINK_STEP + 8;
    double tiles = TILE_HEIGHT + 2 * SWITCH_GAP + SWITCH_HEIGHT + NIC_HEIGHT;
    return LINKS_TOP + links + tiles + FOOT;
  }

  void draw() {
    double height = height(machine);
    String title = drawn.title(host);
    for (int behind = isPile() ? PILE : 0; behind > 0; behind--) {
      double shift = PILE_STEP * behind;
      canvas.box(left + shift, top + shift, WIDTH, height, 12, "class=\"card\"");
    }
    canvas.box(left, top, WIDTH, height, 12, "class=\"card\"");
    canvas.text(left + PADDING, top + 27, "host", title);
    canvas.text(left + PADDING, top + 45, "note", Words.contents(machine));
    numaNodes();
    vendorLinks();
    placement.groups().forEach(this::wires);
    relays();
    for (int i = 0; i < machine.accelerators().size(); i++) {
      accelerator(i);
    }
    machine.nics().forEach(this::nic);
  }

  /** Where the card ends, with those that lie behind it. */
  double right() {
    return left + WIDTH + (isPile() ? PILE * PILE_STEP : 0);
  }

  private boolean isPile() {
    return !drawn.title(host).equals(drawn.host(host).name());
  }

  private double centre(String device) {
    return at(placement.centreOf(device));
  }

  /** Where so many slots from the left are. */
  private double at(double slots) {
    return left + (WIDTH - placement.slots() * slot) / 2 + slots * slot;
  }

  private double room(String device) {
    return Math.min(MAX_SLOT, placement.strideOf(device) * slot);
  }

  private double switchTop() {
    return tilesTop + TILE_HEIGHT + SWITCH_GAP;
  }

  private double nicsTop() {
    return switchTop() + SWITCH_HEIGHT + SWITCH_GAP;
  }

  private void numaNodes() {
    Map<Integer, double[]> spans = new LinkedHashMap<>();
    for (Arrangement.Group group : placement.groups()) {
      double from = at(group.firstSlot());
      double to = from + group.slots() * slot;
      double[] span = spans.computeIfAbsent(group.numaNode(), node -> new double[] {from, to});
      span[1] = to;
    }
    double height = nicsTop() + NIC_HEIGHT - tilesTop + FOOT - 4;
    spans.forEach(
        (node, span) -> {
          double width = span[1] - span[0] - 2;
          canvas.box(span[0] + 1, tilesTop - 6, width, height, 8, "class=\"numa\"");
          String label = node < 0 ? "" : "NUMA " + node + (width > 180 ? cpus(node) : "");
          canvas.text((span[0] + span[1]) / 2, tilesTop - 6 + height - 6, "small mid", label);
        });
  }

  private String cpus(int id) {
    return machine.numaNodes().stream()
        .filter(node -> node.id() == id && node.cpus().size() > 0)
        .map(NumaNode::cpus)
        .map(cpus -> " · CPUs " + cpus)
        .findFirst()
        .orElse("");
  }

  private void vendorLinks() {
    for (LinkRows.Bar bar : links.bars()) {
      double y = top + LINKS_TOP + bar.row() * LINK_STEP;
      double from = at(bar.first()) - slot / 2 + 4;
      double to = at(bar.last()) + slot / 2 - 4;
      bar.centres()
          .forEach(
              centre ->
                  canvas.line(at(centre), y + LINK_HEIGHT, at(centre), tilesTop, "class=\"link\""));
      canvas.box(from, y, to - from, LINK_HEIGHT, LINK_HEIGHT / 2, "class=\"fabric\"");
      String speed = Words.gigabytes(bar.link().megabytesPerSecond());
      String label = bar.link().symbol() + " · " + speed;
      canvas.text((from + to) / 2, y + 13, "fabricText mid", shorten(label, to - from));
    }
  }

  private void wires(Arrangement.Group group) {
    List<Double> above = group.upper().stream().map(part -> centre(part.id())).toList();
    List<Double> below = group.lower().stream().map(part -> centre(part.id())).toList();
    double y = switchTop();
    above.forEach(x -> canvas.line(x, tilesTop + TILE_HEIGHT, x, y, "class=\"wire\""));
    below.forEach(x -> canvas.line(x, y, x, nicsTop(), "class=\"wire\""));
    double start = at(group.firstSlot());
    double width = group.slots() * slot - 12;
    canvas.box(start + 6, y, width, SWITCH_HEIGHT, SWITCH_HEIGHT / 2, "class=\"switch\"");
  }

  private void relays() {
    for (int i = 0; i < machine.accelerators().size(); i++) {
      for (Nic nic : machine.rails()) {
        if (drawn.isRelay(host, i, nic.name())) {
          double from = centre(machine.accelerators().get(i).id());
          String style =
              "stroke=\""
                  + drawn.colour(host, i)
                  + "\" stroke-width=\"4\" stroke-linecap=\"round\"";
          canvas.curve(from, tilesTop + TILE_HEIGHT, centre(nic.id()), nicsTop(), style);
        }
      }
    }
  }

  private void accelerator(int index) {
    Accelerator accelerator = machine.accelerators().get(index);
    double x = centre(accelerator.id());
    double width = room(accelerator.id()) * TILE_SHARE;
    String style = "class=\"tile\" fill=\"" + drawn.colour(host, index) + "\"";
    canvas.box(x - width / 2, tilesTop, width, TILE_HEIGHT, Math.min(7, width / 4), style);
    boolean words = width > ROOM_FOR_WORDS;
    String name = drawn.rank(host, index).map(rank -> "r" + rank).orElse("–");
    if (width > ROOM_FOR_NUMBER) {
      canvas.text(x, tilesTop + (words ? 19 : 25), (words ? size(name) : "tiny") + " mid", name);
    }
    if (words) {
      canvas.text(x, tilesTop + 34, "vendor mid", shorten(accelerator.vendor(), width));
    }
  }

  private void nic(Nic nic) {
    double x = centre(nic.id());
    double width = room(nic.id()) * TILE_SHARE;
    String kind = nic.isUp() ? "nic" : "nic down";
    canvas.box(x - width / 2, nicsTop(), width, NIC_HEIGHT, 6, "class=\"" + kind + "\"");
    if (width > ROOM_FOR_WORDS) {
      String speed = nic.isUp() ? Words.gigabits(nic.networkMegabytesPerSecond()) : "down";
      String name = tail(nic.name(), width);
      boolean tight = name.length() * PIXELS_PER_LETTER > width - 8;
      String size = tight ? "tight" : "small";
      canvas.text(x, nicsTop() + 15, size + " mid strong", name);
      canvas.text(x, nicsTop() + 29, "small mid", shorten(speed.replace(" Gb/s", "G"), width));
    }
  }

  private static String size(String rank) {
    return rank.length() <= 4 ? "rank" : "rank long";
  }

  /** NICs of a host differ in the end of their names. */
  private static String tail(String text, double width) {
    int letters = (int) (width / PIXELS_PER_LETTER);
    return text.length() <= letters ? text : "…" + text.substring(text.length() - letters + 1);
  }

  private static String shorten(String text, double width) {
    int letters = (int) (width / PIXELS_PER_LETTER);
    return text.length() <= letters ? text : text.substring(0, letters - 1) + "…";
  }
}
