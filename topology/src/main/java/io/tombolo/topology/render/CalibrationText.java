// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.calibration.MeasuredPath;
import io.tombolo.topology.calibration.PathKind;
import io.tombolo.topology.machine.LinkClass;
import io.tombolo.topology.machine.LinkCost;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * A calibration for people: ranks against ranks, what each kind of path costs, and what that makes
 * of the cost model.
 */
public final class CalibrationText {
  private final Calibration calibration;
  private final Paint paint;
  private final StringBuilder out = new StringBuilder();

  private CalibrationText(Calibration calibration, Paint paint) {
    this.calibration = calibration;
    this.paint = paint;
  }

  /** All of {@code calibration}, with colours by {@code paint}. */
  public static String render(Calibration calibration, Paint paint) {
    CalibrationText text = new CalibrationText(calibration, paint);
    text.out.append(paint.bold(calibration.subject())).append(", measured ");
    text.out.append(calibration.measuredAt()).append('\n');
    text.matrix("Latency α, one way, µs", cost -> microseconds(cost.latencyPs()));
    text.matrix("Bandwidth 1/β, one way, GB/s", cost -> gigabytes(cost.megabytesPerSecond()));
    text.kinds();
    text.classes();
    return text.out.toString();
  }

  /** What is known of which ranks, a line each; nothing if nothing is. */
  public static String list(List<Calibration> known, Paint paint) {
    if (known.isEmpty()) {
      return "";
    }
    StringBuilder out = new StringBuilder("\n").append(paint.bold("Measured")).append('\n');
    Columns columns = new Columns("  ");
    for (Calibration each : known) {
      columns
          .row()
          .cell(each.subject())
          .cell(figures(each))
          .cell(each.measuredAt() + "", paint::faint);
    }
    columns.appendTo(out);
    return out.toString();
  }

  private static String figures(Calibration calibration) {
    List<String> figures = new ArrayList<>();
    calibration
        .costs()
        .measured()
        .forEach((linkClass, cost) -> figures.add(linkClass.symbol() + " " + words(cost)));
    return String.join("; ", figures);
  }

  /** {@code 12.3 µs + 4.56 GB/s}. */
  static String words(LinkCost cost) {
    return microseconds(cost.latencyPs())
        + " µs, "
        + gigabytes(cost.megabytesPerSecond())
        + " GB/s";
  }

  private void title(String title) {
    out.append('\n').append(paint.bold(title)).append('\n');
  }

  private void matrix(String title, Function<LinkCost, String> figure) {
    Map<Integer, Map<Integer, String>> cells = new TreeMap<>();
    for (MeasuredPath path : calibration.paths()) {
      String text = figure.apply(path.cost());
      cells.computeIfAbsent(path.from(), rank -> new TreeMap<>()).put(path.to(), text);
      cells.computeIfAbsent(path.to(), rank -> new TreeMap<>()).put(path.from(), text);
    }
    title(title);
    Columns columns = new Columns("  ");
    columns.row().cell("");
    cells.keySet().forEach(rank -> columns.cell("r" + rank));
    for (Map.Entry<Integer, Map<Integer, String>> row : cells.entrySet()) {
      columns.row().cell("r" + row.getKey());
      cells.keySet().forEach(rank -> columns.cell(row.getValue().getOrDefault(rank, "-")));
    }
    columns.appendTo(out);
    out.append(paint.faint("  on the diagonal: a copy between the device and its host\n"));
  }

  private void kinds() {
    title("Paths (medians)");
    Columns columns = new Columns("  ");
    for (PathKind kind : PathKind.values()) {
      for (boolean network : new boolean[] {false, true}) {
        for (String name : names(kind)) {
          calibration
              .cost(kind, name, network)
              .ifPresent(
                  cost ->
                      columns
                          .row()
                          .cell(kind.text())
                          .cell(name)
                          .cell(network ? "between hosts" : "on one host")
                          .cell(words(cost)));
        }
      }
    }
    columns.appendTo(out);
  }

  private Set<String> names(PathKind kind) {
    Set<String> names = new TreeSet<>();
    calibration.paths().stream()
        .filter(path -> path.kind() == kind)
        .forEach(path -> names.add(path.name()));
    return names;
  }

  private void classes() {
    title("Cost model, from device to device");
    Columns columns = new Columns("  ");
    calibration.costs().measured().entrySet().stream()
        .sorted(Map.Entry.comparingByKey(Comparator.<LinkClass>naturalOrder()))
        .forEach(
            entry ->
                columns
                    .row()
                    .cell(entry.getKey().symbol())
                    .cell(words(entry.getValue()))
                    .cell(meaning(entry.getKey()), paint::faint));
    columns.appendTo(out);
  }

  private static String meaning(LinkClass linkClass) {
    return switch (linkClass) {
      case VENDOR -> "the vendor's library";
      case NETWORK -> "copy, fabric between hosts, copy";
      case SELF, SWITCH, HOST_BRIDGE, NUMA, SYSTEM -> "copy, fabric on one host, copy";
    };
  }

  private static String microseconds(long picoseconds) {
    return String.format(Locale.ROOT, "%.1f", picoseconds / 1e6);
  }

  private static String gigabytes(int megabytesPerSecond) {
    return String.format(Locale.ROOT, "%.2f", megabytesPerSecond / 1e3);
  }
}
