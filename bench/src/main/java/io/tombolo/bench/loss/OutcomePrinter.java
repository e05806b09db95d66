// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import java.util.Locale;
import java.util.function.Consumer;

/** Prints outcomes: a table, or JSON lines. */
final class OutcomePrinter {
  private static final double MEGA = 1e6;
  private static final String TITLES = "%-15s %7s %9s %8s %9s %8s %8s %8s %8s %8s %9s %9s %9s";
  private static final String ROW = "%-15s %7s %9.1f %8s %9.1f %8d %8d %8d %8d %8d %9s %9s %9s";

  private final Consumer<String> out;
  private final boolean json;

  OutcomePrinter(Consumer<String> out, boolean json) {
    this.out = out;
    this.json = json;
  }

  /** What is measured, and what the columns mean. */
  void header(Trial trial, int runs) {
    if (json) {
      return;
    }
    line(
        "# %d messages of %d bytes in packets of %d; medians of %d runs; seed %d",
        trial.messages(), trial.messageBytes(), trial.packetBytes(), runs, trial.faults().seed());
    line(
        "# goodput and wire in MB (10^6 bytes) a second and MB; %%opt of (1-p) x rate; recovery in us");
    line(
        TITLES,
        "#",
        "loss",
        "goodput",
        "%opt",
        "wire",
        "rack",
        "count",
        "probe",
        "timeout",
        "spurious",
        "rec p50",
        "rec p99",
        "rec max");
  }

  /** One candidate at one loss. */
  void print(LossResult outcome) {
    if (json) {
      out.accept(outcome.toJson());
      return;
    }
    line(
        ROW,
        outcome.candidate(),
        percent(outcome.loss()),
        outcome.goodput() / MEGA,
        outcome.optimumPercent() == null ? "-" : decimal(outcome.optimumPercent()),
        outcome.wireBytes() / MEGA,
        outcome.resentByTime(),
        outcome.resentByCount(),
        outcome.resentByProbe(),
        outcome.resentByTimeout(),
        outcome.spurious(),
        micros(outcome, outcome.recovery().p50Us()),
        micros(outcome, outcome.recovery().p99Us()),
        micros(outcome, outcome.recovery().maxUs()));
  }

  /** How long repeats took, as bars. */
  void histogram(LossResult outcome) {
    if (json || outcome.recovery().count() == 0) {
      return;
    }
    line(
        "# %s: time from first transmission to acknowledgement of repeated packets",
        outcome.candidate());
    long most = outcome.recovery().histogram().values().stream().mapToLong(n -> n).max().orElse(1);
    outcome
        .recovery()
        .histogram()
        .forEach(
            (micros, count) ->
                line("#  <= %8d us %8d %s", micros, count, "*".repeat((int) (40 * count / most))));
  }

  static String percent(double probability) {
    return String.format(Locale.ROOT, "%.4g%%", probability * 100)
        .replaceAll("0+%$", "%")
        .replaceAll("[.]%$", "%");
  }

  private static String micros(LossResult outcome, double value) {
    return outcome.recovery().count() == 0 ? "-" : decimal(value);
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private void line(String format, Object... values) {
    out.accept(String.format(Locale.ROOT, format, values));
  }
}
