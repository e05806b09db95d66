// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Locale;

/** Goodput against loss as an SVG picture: one line per candidate. */
final class GoodputPlot {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 420;
  private static final int LEFT = 70;
  private static final int RIGHT = 150;
  private static final int TOP = 40;
  private static final int BOTTOM = 50;
  private static final int GRID_LINES = 5;

  /** Colours that people with any colour vision tell apart (Okabe and Ito, 2008). */
  private static final ImmutableList<String> COLOURS =
      ImmutableList.of("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9");

  private final ImmutableList<LossResult> outcomes;
  private final boolean inPercent;
  private final double most;

  GoodputPlot(List<LossResult> outcomes) {
    this.outcomes = ImmutableList.copyOf(outcomes);
    inPercent = outcomes.stream().allMatch(outcome -> outcome.optimumPercent() != null);
    most = inPercent ? 100 : outcomes.stream().mapToDouble(this::value).max().orElse(1);
  }

  private double value(LossResult outcome) {
    return inPercent ? outcome.optimumPercent() : outcome.goodput() / 1e6;
  }

  String svg() {
    StringBuilder svg = new StringBuilder();
    add(
        svg,
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='12'>",
        WIDTH,
        HEIGHT);
    add(svg, "<rect width='100%%' height='100%%' fill='white'/>");
    add(
        svg,
        "<text x='%d' y='24' font-size='15'>%s against packet loss</text>",
        LEFT,
        inPercent ? "Goodput in % of (1 - p) x rate" : "Goodput in MB/s");
    axes(svg);
    List<String> names = outcomes.stream().map(LossResult::candidate).distinct().toList();
    for (int i = 0; i < names.size(); i++) {
      curve(svg, names.get(i), COLOURS.get(i % COLOURS.size()), i);
    }
    return add(svg, "</svg>").toString();
  }

  private void axes(StringBuilder svg) {
    for (int i = 0; i <= GRID_LINES; i++) {
      double value = most * i / GRID_LINES;
      double y = y(value);
      add(
          svg,
          "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#ddd'/>",
          LEFT,
          y,
          WIDTH - RIGHT,
          y);
      add(svg, "<text x='%d' y='%.1f' text-anchor='end'>%.0f</text>", LEFT - 8, y + 4, value);
    }
    List<Double> losses = losses();
    for (int i = 0; i < losses.size(); i++) {
      add(
          svg,
          "<text x='%.1f' y='%d' text-anchor='middle'>%s</text>",
          x(i),
          HEIGHT - BOTTOM + 20,
          OutcomePrinter.percent(losses.get(i)));
    }
  }

  private void curve(StringBuilder svg, String name, String colour, int index) {
    StringBuilder points = new StringBuilder();
    List<Double> losses = losses();
    for (LossResult outcome : outcomes) {
      if (outcome.candidate().equals(name)) {
        double x = x(losses.indexOf(outcome.loss()));
        double y = y(value(outcome));
        points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
        add(svg, "<circle cx='%.1f' cy='%.1f' r='3.5' fill='%s'/>", x, y, colour);
      }
    }
    add(
        svg,
        "<polyline points='%s' fill='none' stroke='%s' stroke-width='2'/>",
        points.toString().trim(),
        colour);
    int y = TOP + 20 * index + 10;
    add(svg, "<text x='%d' y='%d' fill='%s'>%s</text>", WIDTH - RIGHT + 12, y, colour, name);
  }

  /** The losses, each as far from the next: what matters happens at the small ones. */
  private List<Double> losses() {
    return outcomes.stream().map(LossResult::loss).distinct().sorted().toList();
  }

  private double x(int index) {
    return LEFT + (double) (WIDTH - LEFT - RIGHT) * index / Math.max(1, losses().size() - 1);
  }

  private double y(double value) {
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / most;
  }

  private static StringBuilder add(StringBuilder svg, String format, Object... values) {
    return svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
