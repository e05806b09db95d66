package io.tombolo.topology.render;

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

  private static String gibibytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1L << 30));
  }
}
