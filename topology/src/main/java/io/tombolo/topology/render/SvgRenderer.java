package io.tombolo.topology.render;

import io.tombolo.topology.Cluster;
import io.tombolo.topology.Relay;
import io.tombolo.topology.Survey;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import java.util.Locale;

/**
 * A picture: hosts left and right of the network, each with what is in it; clusters by colour. Jobs
 * with many hosts show the first of each kind as a pile.
 */
final class SvgRenderer {
  private static final double MARGIN = 30;
  private static final double NETWORK_WIDTH = 34;
  private static final double TRUNK = 56;
  private static final double ONE_SIDE = MARGIN + SvgCard.WIDTH + TRUNK;
  private static final double HEADER = 64;
  private static final double GAP = 26;
  private static final double LEGEND_LINE = 24;
  private static final double MEGABYTES_PER_PIXEL = 40_000;

  private static final String STYLE =
      """
      <style>
      text { font-family: "Inter", "Segoe UI", system-ui, "DejaVu Sans", sans-serif; fill: #2b3036; }
      .title { font-size: 19px; font-weight: 600; }
      .host { font-size: 15px; font-weight: 600; }
      .note { font-size: 12px; fill: #69727d; }
      .small { font-size: 9.5px; fill: #69727d; }
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
      canvas.text((end + network) / 2, middle - 12, "small mid", speed(total));
    }
    new SvgCard(canvas, drawn, host, x, y).draw();
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
              + cluster.vendor()
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
    canvas.line(MARGIN, y - 4, MARGIN + 22, y - 4, "stroke=\"#8d99a6\" stroke-width=\"4\"");
    canvas.text(MARGIN + 32, y, "note", "a relay and the NIC it speaks through");
    return y + MARGIN;
  }

  private String head(double height) {
    double width = NETWORK_WIDTH + (drawn.hosts().size() > 1 ? 2 * ONE_SIDE : ONE_SIDE + MARGIN);
    String open =
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\""
                + " height=\"%.0f\" role=\"img\">\n",
            width,
            height,
            width,
            height);
    String title = Escape.xml(TextRenderer.summary(survey));
    return open
        + STYLE
        + "<title>"
        + title
        + "</title>\n"
        + "<rect width=\"100%\" height=\"100%\" fill=\"#fafbfc\"/>\n"
        + "<text x=\""
        + (int) MARGIN
        + "\" y=\"40\" class=\"title\">"
        + title
        + "</text>\n";
  }
}
