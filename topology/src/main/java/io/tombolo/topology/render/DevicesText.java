// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import io.tombolo.topology.detect.LinkSource;
import io.tombolo.topology.detect.ProbedDevice;
import java.util.List;
import java.util.Locale;

/** Devices as their runtimes describe them, for people. */
public final class DevicesText {
  private DevicesText() {}

  /** A line each; nothing if there are none. */
  public static String list(List<ProbedDevice> devices, Paint paint) {
    if (devices.isEmpty()) {
      return "";
    }
    StringBuilder out =
        new StringBuilder("\n").append(paint.bold("Devices, as their runtimes say")).append('\n');
    Columns columns = new Columns("  ");
    for (ProbedDevice device : devices) {
      columns
          .row()
          .cell(device.label())
          .cell(device.name())
          .cell(gibibytes(device.memoryBytes()))
          .cell(device.emulated() ? "emulated" : device.pciAddress())
          .cell(device.runtime(), paint::faint);
    }
    columns.appendTo(out);
    return out.toString();
  }

  /** Where links between accelerators are known from, a line each; nothing if there are none. */
  public static String linkSources(List<LinkSource> sources, Paint paint) {
    StringBuilder out = new StringBuilder();
    if (!sources.isEmpty()) {
      out.append('\n').append(paint.bold("Links between accelerators")).append('\n');
      Columns columns = new Columns("  ");
      for (LinkSource source : sources) {
        String from = source.isKnown() ? "from " + source.from() : "not known: " + source.fix();
        columns.row().cell(source.kind()).cell(from);
      }
      columns.appendTo(out);
    }
    return out.toString();
  }

  private static String gibibytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1L << 30));
  }
}
