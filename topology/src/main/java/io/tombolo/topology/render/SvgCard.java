package io.tombolo.topology.render;

import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.NumaNode;
import io.tombolo.topology.machine.VendorLink;
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
  private static final double MAX_SLOT = 70;
  private static final double LINKS_TOP = 58;
  private static final double LINK_HEIGHT = 18;
  private static final double TILE_HEIGHT = 42;
  private static final double SWITCH_GAP = 20;
  private static final double SWITCH_HEIGHT = 8;
  private static final double NIC_HEIGHT = 36;
  private static final double FOOT = 26;
  private static final double PIXELS_PER_LETTER = 5.6;
  private static final double ROOM_FOR_WORDS = 38;

  private final SvgCanvas canvas;
  private final Drawn drawn;
  private final int host;
  private final Machine machine;
  private final Placement placement;
  private final double left;
  private final double top;
  private final double slot;
  private final double tilesTop;

  SvgCard(SvgCanvas canvas, Drawn drawn, int host, double left, double top) {
    this.canvas = canvas;
    this.drawn = drawn;
    this.host = host;
    this.machine = drawn.host(host).machine();
    this.placement = new Placement(machine);
    this.left = left;
    this.top = top;
    this.slot = Math.min(MAX_SLOT, (WIDTH - 2 * PADDING) / Math.max(1, placement.slots()));
    this.tilesTop = top + LINKS_TOP + linksByVendor(machine).size() * (LINK_HEIGHT + 6) + 8;
  }

  /** How high the card of a machine is. */
  static double height(Machine machine) {
    double links = linksByVendor(machine).size() * (LINK_HEIGHT + 6) + 8;
    double tiles = TILE_HEIGHT + 2 * SWITCH_GAP + SWITCH_HEIGHT + NIC_HEIGHT;
    return LINKS_TOP + links + tiles + FOOT;
  }

  void draw() {
    double height = height(machine);
    String title = drawn.title(host);
    boolean isPile = !title.equals(drawn.host(host).name());
    for (int behind = isPile ? 2 : 0; behind > 0; behind--) {
      canvas.box(left + 6 * behind, top + 6 * behind, WIDTH, height, 12, "class=\"card\"");
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

  private double centre(String device) {
    double used = placement.slots() * slot;
    double start = left + (WIDTH - used) / 2;
    return start + (placement.slotOf(device) + 0.5) * slot;
  }

  private double switchTop() {
    return tilesTop + TILE_HEIGHT + SWITCH_GAP;
  }

  private double nicsTop() {
    return switchTop() + SWITCH_HEIGHT + SWITCH_GAP;
  }

  private void numaNodes() {
    Map<Integer, double[]> spans = new LinkedHashMap<>();
    double start = left + (WIDTH - placement.slots() * slot) / 2;
    for (Placement.Group group : placement.groups()) {
      double from = start + group.firstSlot() * slot;
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

  private static Map<String, VendorLink> linksByVendor(Machine machine) {
    Map<String, VendorLink> links = new LinkedHashMap<>();
    for (Accelerator accelerator : machine.accelerators()) {
      machine.vendorLinks().stream()
          .filter(link -> link.a().equals(accelerator.id()))
          .findFirst()
          .ifPresent(link -> links.putIfAbsent(accelerator.vendor(), link));
    }
    return links;
  }

  private void vendorLinks() {
    double y = top + LINKS_TOP;
    for (Map.Entry<String, VendorLink> entry : linksByVendor(machine).entrySet()) {
      List<Double> centres =
          machine.accelerators().stream()
              .filter(each -> each.vendor().equals(entry.getKey()))
              .map(each -> centre(each.id()))
              .sorted()
              .toList();
      double from = centres.get(0) - slot / 2 + 4;
      double to = centres.get(centres.size() - 1) + slot / 2 - 4;
      for (double x : centres) {
        canvas.line(x, y + LINK_HEIGHT, x, tilesTop, "class=\"link\"");
      }
      canvas.box(from, y, to - from, LINK_HEIGHT, LINK_HEIGHT / 2, "class=\"fabric\"");
      VendorLink link = entry.getValue();
      String label = link.symbol() + " · " + Words.gigabytes(link.megabytesPerSecond());
      canvas.text((from + to) / 2, y + 13, "fabricText mid", label);
      y += LINK_HEIGHT + 6;
    }
  }

  private void wires(Placement.Group group) {
    List<Double> above = group.upper().stream().map(part -> centre(part.id())).toList();
    List<Double> below = group.lower().stream().map(part -> centre(part.id())).toList();
    double y = switchTop();
    above.forEach(x -> canvas.line(x, tilesTop + TILE_HEIGHT, x, y, "class=\"wire\""));
    below.forEach(x -> canvas.line(x, y, x, nicsTop(), "class=\"wire\""));
    double start = left + (WIDTH - placement.slots() * slot) / 2 + group.firstSlot() * slot;
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
    double width = Math.min(slot - 6, MAX_SLOT);
    String style = "class=\"tile\" fill=\"" + drawn.colour(host, index) + "\"";
    canvas.box(x - width / 2, tilesTop, width, TILE_HEIGHT, 7, style);
    boolean words = slot > ROOM_FOR_WORDS;
    String name = drawn.rank(host, index).map(rank -> "r" + rank).orElse("–");
    canvas.text(x, tilesTop + (words ? 19 : 25), (words ? size(name) : "tiny") + " mid", name);
    if (words) {
      canvas.text(x, tilesTop + 34, "vendor mid", shorten(accelerator.vendor(), width));
    }
  }

  private void nic(Nic nic) {
    double x = centre(nic.id());
    double width = slot - 8;
    String kind = nic.isUp() ? "nic" : "nic down";
    canvas.box(x - width / 2, nicsTop(), width, NIC_HEIGHT, 6, "class=\"" + kind + "\"");
    if (slot > ROOM_FOR_WORDS) {
      String speed = nic.isUp() ? Words.gigabits(nic.networkMegabytesPerSecond()) : "down";
      canvas.text(x, nicsTop() + 15, "small mid strong", tail(nic.name(), width));
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
