// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import io.tombolo.runtime.work.WorkStage;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Prints rows as they come: a table in the manner of nccl-tests, or JSON lines. Used by rank 0
 * alone.
 */
final class RowPrinter {
  private static final String MEASURED = " %10s %10s %8s %8s %7s %10s %10s %10s";

  private static final String NOT_MEASURED =
      String.format(Locale.ROOT, MEASURED, "-", "-", "-", "-", "-", "-", "-", "-");

  private final Consumer<String> out;
  private final boolean json;
  private double busbwSum;
  private int rows;
  private long wrong;

  RowPrinter(Consumer<String> out, boolean json) {
    this.out = out;
    this.json = json;
  }

  /** Who takes part, how, and what the columns mean. */
  void header(Clustering clustering, Settings settings, boolean calibrated, String reductions) {
    if (json) {
      return;
    }
    line(
        "# %s, %d ranks in %d clusters; per size %s to warm up, %d timed, 1 checked",
        settings.operation(),
        clustering.size(),
        clustering.clusters().size(),
        settings.warmup() == null ? "calls" : settings.warmup() + " calls",
        settings.iterations());
    for (int rank = 0; rank < clustering.size(); rank++) {
      Cluster cluster = clustering.clusterOf(rank);
      line(
          "#   rank %d: cluster %d, %s, %s",
          rank, cluster.index(), cluster.vendor(), clustering.site(rank).device());
    }
    line("# reductions of rank 0: %s", reductions);
    line(
        "# time is from the call to the completed work: the slowest rank's median; p50 and p99 are"
            + " over all ranks; cold is the median of the first calls of a size");
    line(
        "# predicted goes by %s",
        calibrated
            ? "what was measured of these ranks"
            : "nominal costs of common machines; tombolo topo --measure finds those of these"
                + " ranks");
    sharedCores(ranksOfThisHost(clustering), Runtime.getRuntime().availableProcessors())
        .ifPresent(note -> line("# %s", note));
    line("#");
    line("#%11s %12s %6s %6s %40s %81s", "", "", "", "", "out of place", "in place");
    titles(
        "size",
        "count",
        "type",
        "redop",
        "time",
        "predicted",
        "algbw",
        "busbw",
        "#wrong",
        "p50",
        "p99",
        "cold");
    titles(
        "(B)",
        "(elements)",
        "",
        "",
        "(us)",
        "(us)",
        "(GB/s)",
        "(GB/s)",
        "",
        "(us)",
        "(us)",
        "(us)");
  }

  /** One size, out of place and, where that is possible, in place. */
  void rows(Row outOfPlace, Optional<Row> inPlace) {
    add(outOfPlace);
    inPlace.ifPresent(this::add);
    if (json) {
      out.accept(outOfPlace.toJson());
      inPlace.map(Row::toJson).ifPresent(out);
    } else {
      line(
          "%12d %12d %6s %6s"
              + measured(outOfPlace)
              + inPlace.map(RowPrinter::measured).orElse(NOT_MEASURED),
          outOfPlace.size(),
          outOfPlace.count(),
          outOfPlace.type(),
          outOfPlace.op());
      breakdown("out of place", outOfPlace);
      inPlace.ifPresent(row -> breakdown("in place", row));
    }
  }

  /** What times mean where ranks take turns; empty where each has a processor of its own. */
  static Optional<String> sharedCores(long ranks, int processors) {
    return ranks <= processors
        ? Optional.empty()
        : Optional.of(
            "%d ranks share %d processors of this host: time is mostly waiting for one, and says"
                    .formatted(ranks, processors)
                + " little beside predicted");
  }

  private static long ranksOfThisHost(Clustering clustering) {
    String here = clustering.site(0).hostId();
    return IntStream.range(0, clustering.size())
        .filter(rank -> clustering.site(rank).hostId().equals(here))
        .count();
  }

  /** Below its row, the stages of its calls. */
  private void breakdown(String placement, Row row) {
    if (row.breakdown() == null) {
      return;
    }
    line("#   %d B %s: %-9s %10s %10s", row.size(), placement, "stage", "p50 (us)", "p99 (us)");
    for (WorkStage stage : WorkStage.values()) {
      Breakdown.Spread spread = row.breakdown().get(stage.text());
      if (spread != null) {
        line(
            "#   %-9s %10s %10s  %s",
            stage.text(), decimal(1, spread.p50Us()), decimal(1, spread.p99Us()), stage.meaning());
      }
    }
    line(
        "#   %-9s %10s %9s%%  the least that a hierarchical call takes here, and its share of time",
        "bound", decimal(1, row.boundUs()), decimal(0, 100 * row.boundUs() / row.timeUs()));
  }

  /** What it comes to. */
  void footer() {
    if (!json) {
      line("# wrong elements: %d, %s", wrong, wrong == 0 ? "OK" : "FAILED");
      line("# average busbw: %.3f GB/s", busbwSum / Math.max(1, rows));
    }
  }

  /** Wrong elements in all rows so far. */
  long wrong() {
    return wrong;
  }

  private void add(Row row) {
    wrong += row.wrong();
    busbwSum += row.busbw();
    rows++;
  }

  private void line(String format, Object... values) {
    out.accept(String.format(Locale.ROOT, format, values));
  }

  private void titles(String size, String count, String type, String op, Object... measured) {
    String half = String.format(Locale.ROOT, MEASURED, measured);
    line("#%11s %12s %6s %6s" + half + half, size, count, type, op);
  }

  private static String measured(Row row) {
    return String.format(
        Locale.ROOT,
        MEASURED,
        decimal(1, row.timeUs()),
        decimal(1, row.predictedUs()),
        decimal(3, row.algbw()),
        decimal(3, row.busbw()),
        row.wrong(),
        decimal(1, row.p50Us()),
        decimal(1, row.p99Us()),
        row.coldUs() == null ? "-" : decimal(1, row.coldUs()));
  }

  private static String decimal(int digits, double value) {
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }
}
