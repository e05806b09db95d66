// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import java.util.Locale;

/** Collects shapes; coordinates are pixels. Styles are classes of the picture's style sheet. */
final class SvgCanvas {
  private final StringBuilder out = new StringBuilder();

  void raw(String markup) {
    out.append(markup).append('\n');
  }

  /** A rectangle with round corners; {@code style} is more attributes. */
  void box(double x, double y, double width, double height, double radius, String style) {
    raw(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.1f\" %s/>",
            x,
            y,
            width,
            height,
            radius,
            style));
  }

  /** A text at its base line, of the class {@code kind}. */
  void text(double x, double y, String kind, String text) {
    raw(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>",
            x,
            y,
            kind,
            Escape.xml(text)));
  }

  void line(double x1, double y1, double x2, double y2, String style) {
    raw(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>",
            x1,
            y1,
            x2,
            y2,
            style));
  }

  /** A line that leaves and arrives upright. */
  void curve(double x1, double y1, double x2, double y2, String style) {
    double middle = (y1 + y2) / 2;
    raw(
        String.format(
            Locale.ROOT,
            "<path d=\"M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f\" fill=\"none\" %s/>",
            x1,
            y1,
            x1,
            middle,
            x2,
            middle,
            x2,
            y2,
            style));
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
