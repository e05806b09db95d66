// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import io.tombolo.topology.Cluster;
import io.tombolo.topology.Relay;
import io.tombolo.topology.Survey;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.VendorLink;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A picture: hosts left and right of the network, each with what is in it; clusters by colour. Jobs
 * with many hosts show the first of each kind as a pile.
 */
final class SvgRenderer {
  private static final double MARGIN = 30;
  private static final double NETWORK_WIDTH = 34;
  private static final double TRUNK = 62;
  private static final double ONE_SIDE = MARGIN + SvgCard.WIDTH + TRUNK;
  private static final double HEADER = 64;
  private static final double GAP = 26;
  private static final double LEGEND_LINE = 24;
  private static final double PIXELS_PER_LETTER = 6.4;
  private static final double MEGABYTES_PER_PIXEL = 40_000;

  private static final String STYLE =
      """
      <style>
      text { font-family: "Inter", "Segoe UI", system-ui, "DejaVu Sans", sans-serif; fill: #2b3036; }
      .title { font-size: 19px; font-weight: 600; }
      .host { font-size: 15px; font-weight: 600; }
      .note { font-size: 12px; fill: #69727d; }
      .small { font-size: 9.5px; fill: #69727d; }
      .tight { font-size: 8px; }
      .strong { fill: #2b3036; }
      .rank { font-size: 13.5px; font-weight: 700; fill: #ffffff; }
      .long { font-size: 10.5px; }
      .vendor { font-size: 9.5px; fill: #ffffff; }
      .tiny { font-size: 8px; fill: #ffffff; }
      .mid { text-anchor: middle; }
      .card { fill: #ffffff; stroke: #d5dae0; }
      .numa { fill: #f3f5f8; }
      .fabric { fill: #e9e4f5; stroke: #c9bfe6; }
      .fabricText { font-size: 10.5px; fill: #5d4b8a; }
      .link { stroke: #c9bfe6; stroke-width: 2; }
      .wire { stroke: #b9c1ca; stroke-width: 1.5; }
      .switch { fill: #b9c1ca; }
      .tile { stroke: #00000022; }
      .nic { fill: #ffffff; stroke: #9aa4af; }
      .down { fill: none; stroke-dasharray: 3 3; }
      .network { fill: #41505f; }
      .networkText { font-size: 13px; fill: #ffffff; letter-spacing: 3px; }
      .trunk { stroke: #41505f; stroke-linecap: round; }
      .paper { fill: #fafbfc; }
      @media (prefers-color-scheme: dark) {
        text { fill: #d9dee4; }
        .note, .small { fill: #9aa5b1; }
        .rank, .vendor, .tiny, .networkText { fill: #ffffff; }
        .strong { fill: #e3e7ec; }
        .paper { fill: #14181d; }
        .card { fill: #1c2127; stroke: #343c46; }
        .numa { fill: #242b33; }
        .fabric { fill: #352f4b; stroke: #5a5180; }
        .fabricText { fill: #cbbff0; }
        .link { stroke: #5a5180; }
        .wire { stroke: #4b5563; }
        .switch { fill: #56616e; }
        .nic { fill: #1c2127; stroke: #6b7682; }
        .down { fill: none; }
      }
      </style>
      """;

  private final Survey survey;
  private final Drawn drawn;
  private final SvgCanvas canvas = new SvgCanvas();

  private SvgRenderer(Survey survey) {
    this.survey = survey;
    this.drawn = new Drawn(survey);
  }

  static String render(Survey survey) {
    return new SvgRenderer(survey).picture();
  }

  private String picture() {
    double networkLeft = ONE_SIDE;
    double[] bottoms = {HEADER, HEADER};
    for (int i = 0; i < drawn.hosts().size(); i++) {
      int side = i % 2;
      double x = side == 0 ? MARGIN : networkLeft + NETWORK_WIDTH + TRUNK;
      bottoms[side] = host(drawn.hosts().get(i), side, x, bottoms[side]);
    }
    double bottom = Math.max(bottoms[0], bottoms[1]) - GAP;
    canvas.box(networkLeft, HEADER, NETWORK_WIDTH, bottom - HEADER, 10, "class=\"network\"");
    double middle = networkLeft + NETWORK_WIDTH / 2;
    double centre = (HEADER + bottom) / 2;
    canvas.raw(
        String.format(
            Locale.ROOT,
            "<text class=\"networkText mid\" transform=\"translate(%.1f %.1f) rotate(-90)\">"
                + "network</text>",
            middle + 4,
            centre));
    double height = legend(bottom + GAP + 14);
    return head(height) + canvas + "</svg>\n";
  }

  /** Draws a card and its trunk; returns where the next card of this side begins. */
  private double host(int host, int side, double x, double y) {
    Machine machine = drawn.host(host).machine();
    double height = SvgCard.height(machine);
    long total = machine.rails().stream().mapToLong(Nic::networkMegabytesPerSecond).sum();
    double end = side == 0 ? x + SvgCard.WIDTH : x;
    double network = side == 0 ? end + TRUNK : end - TRUNK;
    double middle = y + height / 2;
    if (total > 0) {
      double width = Math.min(14, 2 + total / MEGABYTES_PER_PIXEL);
      String style = String.format(Locale.ROOT, "class=\"trunk\" stroke-width=\"%.1f\"", width);
      canvas.line(end, middle, network, middle, style);
    }
    SvgCard card = new SvgCard(canvas, drawn, host, x, y);
    card.draw();
    if (total > 0) {
      double from = side == 0 ? card.right() : end;
      canvas.text((from + network) / 2, middle - 12, "small mid", speed(total));
    }
    return y + height + GAP;
  }

  private static String speed(long megabytesPerSecond) {
    double terabits = megabytesPerSecond * 8 / 1e6;
    return terabits >= 1
        ? String.format(Locale.ROOT, "%.1f Tb/s", terabits)
        : Words.gigabits(megabytesPerSecond);
  }

  private double legend(double top) {
    double y = top;
    for (Cluster cluster : survey.clustering().clusters()) {
      long total = survey.relays(cluster).stream().mapToLong(Relay::megabytesPerSecond).sum();
      String fill = "fill=\"" + Colours.of(cluster.index()) + "\"";
      canvas.box(MARGIN, y - 11, 22, 14, 4, fill);
      String text =
          "cluster "
              + cluster.index()
              + " · "
              + survey.clustering().kind(cluster)
              + " · "
              + Words.count(cluster.size(), "rank")
              + " · "
              + Words.count(survey.relays(cluster).size(), "relay")
              + " with "
              + Words.gigabytes(total)
              + " together";
      canvas.text(MARGIN + 32, y, "note", text);
      y += LEGEND_LINE;
    }
    return marks(y) + MARGIN;
  }

  private interface Shape {
    void drawAt(double x, double y);
  }

  /** A shape of the legend, 22 pixels wide from the given place on, and what it is. */
  private record Mark(Shape shape, String text) {
    double width() {
      return 32 + text.length() * PIXELS_PER_LETTER + GAP;
    }
  }

  /** What the other shapes are, side by side as far as there is room; where the last line is. */
  private double marks(double top) {
    double x = MARGIN;
    double y = top;
    for (Mark mark : marks()) {
      if (x > MARGIN && x + mark.width() > width()) {
        x = MARGIN;
        y += LEGEND_LINE;
      }
      mark.shape().drawAt(x, y);
      canvas.text(x + 32, y, "note", mark.text());
      x += mark.width();
    }
    return y;
  }

  private List<Mark> marks() {
    String relay = "stroke=\"#8d99a6\" stroke-width=\"4\"";
    List<Mark> marks = new ArrayList<>();
    marks.add(
        new Mark(
            (x, y) -> canvas.line(x, y - 4, x + 22, y - 4, relay),
            "a relay and the NIC it speaks through"));
    if (drawn.hosts().stream().anyMatch(each -> !links(each).isEmpty())) {
      marks.add(box(12, 6, "fabric", "the vendor's own links, per pair"));
    }
    marks.add(box(8, 4, "switch", "PCI switch or host bridge"));
    marks.add(box(14, 4, "nic", "NIC"));
    marks.add(box(14, 4, "nic down", "NIC that is down"));
    return marks;
  }

  private List<VendorLink> links(int host) {
    return drawn.host(host).machine().vendorLinks();
  }

  private Mark box(double height, double radius, String kind, String text) {
    String style = "class=\"" + kind + "\"";
    return new Mark((x, y) -> canvas.box(x, y - 4 - height / 2, 22, height, radius, style), text);
  }

  private double width() {
    return NETWORK_WIDTH + (drawn.hosts().size() > 1 ? 2 * ONE_SIDE : ONE_SIDE + MARGIN);
  }

  private String head(double height) {
    String open =
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\""
                + " height=\"%.0f\" role=\"img\">\n",
            width(),
            height,
            width(),
            height);
    String title = Escape.xml(TextRenderer.summary(survey));
    return open
        + STYLE
        + "<title>"
        + title
        + "</title>\n"
        + "<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n"
        + "<text x=\""
        + (int) MARGIN
        + "\" y=\"40\" class=\"title\">"
        + title
        + "</text>\n";
  }
}
