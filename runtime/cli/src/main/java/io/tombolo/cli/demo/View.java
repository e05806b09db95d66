// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import com.google.common.base.Strings;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.Multimap;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Figures;
import io.tombolo.cli.console.Table;
import io.tombolo.cli.train.Digits;
import io.tombolo.cli.train.Schedule;
import io.tombolo.runtime.launch.ClusterSpec;
import java.util.Collection;
import java.util.Locale;

/** The demo as people read it. Called in the order of the methods; not thread-safe. */
final class View {
  private static final int BAR_WIDTH = 24;
  private static final int SPARSE_LINES = 5;
  private static final int HASH_DIGITS = 16;

  private final Console console;
  private final int steps;
  private final long startNs = System.nanoTime();
  private int linesPrinted;

  View(Console console, int steps) {
    this.console = console;
    this.steps = steps;
  }

  /** Ranks are being started. */
  void starting(ClusterSpec clusters) {
    console.line(
        "@|bold Tombolo|@: "
            + clusters.size()
            + " ranks, each a process, "
            + clusters
            + ", one communicator");
    console.line();
    console.progress("  starting …");
  }

  /** Some ranks take long to join. */
  void waiting(String text) {
    console.line("  " + text);
  }

  /** It is over before its end. */
  void interrupted() {
    console.line();
  }

  /** Ranks have died, and these go on without them, or with new processes in their places. */
  void wentOn(Collection<RankReport.WentOn> ranks) {
    RankReport.WentOn first = ranks.iterator().next();
    long tookNs = ranks.stream().mapToLong(RankReport.WentOn::tookNs).max().orElseThrow();
    console.line();
    console.line("  @|bold,red ✗|@ " + first.cause());
    console.line();
    Table table = new Table("rank", "is now", "vendor", "cluster");
    ranks.forEach(
        each ->
            table.row(
                each.isNew() ? each.rank() + ", a new process" : each.rank(),
                each.newRank(),
                each.vendor(),
                each.cluster()));
    table.print(console);
    console.line();
    console.line(
        String.format(
            Locale.ROOT,
            "  %d ranks go on together from step %d, %s after they met the failure",
            first.size(),
            first.step(),
            Figures.seconds(tookNs)));
    console.line();
  }

  /** All ranks are in. */
  void joined(Collection<RankReport.Joined> ranks) {
    Table table = new Table("rank", "vendor", "device", "cluster", "why");
    Multimap<String, String> peersByRoute = LinkedHashMultimap.create();
    Multimap<String, String> ranksByReductions = LinkedHashMultimap.create();
    for (RankReport.Joined rank : ranks) {
      table.row(rank.rank(), rank.vendor(), rank.device(), rank.cluster(), rank.reason());
      ranksByReductions.put(rank.reductions(), Integer.toString(rank.rank()));
      rank.routes()
          .forEach(
              (peer, route) -> {
                if (rank.rank() < Integer.parseInt(peer)) {
                  peersByRoute.put(route, rank.rank() + " ↔ " + peer);
                }
              });
    }
    table.print(console);
    console.line();
    peersByRoute
        .asMap()
        .forEach(
            (route, pairs) ->
                console.line("  between clusters: " + String.join(", ", pairs) + " by " + route));
    ranksByReductions
        .asMap()
        .forEach(
            (where, each) ->
                console.line("  reductions: ranks " + String.join(", ", each) + " by " + where));
  }

  /** The training begins. */
  void training(Model model, Digits digits, Schedule schedule) {
    console.line();
    console.line(
        String.format(
            Locale.ROOT,
            "  training %s %s (%s weights) on %s handwritten digits, %s more to test; %s steps of"
                + " %d images",
            model,
            model.network(),
            Figures.grouped(model.network().weightCount()),
            Figures.grouped(digits.train().size()),
            Figures.grouped(digits.test().size()),
            Figures.grouped(schedule.steps()),
            schedule.batchSize()));
  }

  /** A pass over the images is done. */
  void progress(RankReport.Progress progress) {
    String line =
        String.format(
            Locale.ROOT,
            "  step %"
                + Integer.toString(steps).length()
                + "d of %d  %s  loss %.4f  accuracy %s  %s",
            progress.step(),
            steps,
            bar(progress.step()),
            progress.loss(),
            Figures.percent(progress.accuracy()),
            Figures.seconds(System.nanoTime() - startNs));
    if (isWorthALine(progress.step())) {
      console.line(line);
    } else {
      console.progress(line);
    }
  }

  /** On a terminal only the end of the progress stays; elsewhere every fifth of the way. */
  private boolean isWorthALine(int step) {
    int part = (int) ((long) step * SPARSE_LINES / steps);
    boolean worthIt = console.isTerminal() ? step >= steps : part > linesPrinted;
    linesPrinted = part;
    return worthIt;
  }

  /** The training alone, in this process, is under way. */
  void comparing() {
    console.progress("  training once more in one process …");
  }

  /** All is done. */
  void outcome(Outcome outcome) {
    console.line();
    bytes("inside clusters ", outcome.counted().inside(), outcome.planned().inside());
    bytes("between clusters", outcome.counted().between(), outcome.planned().between());
    console.line();
    for (RankReport.Finished rank : outcome.ranks()) {
      console.line(
          "  rank "
              + rank.rank()
              + "  weights "
              + rank.weightHash().substring(0, HASH_DIGITS)
              + "  @|faint (SHA-256, as its own process reports it)|@");
    }
    console.line();
    outcome.checks().forEach(check -> console.verdict(check.good(), check.text()));
    console.line();
    console.line(
        "  "
            + (outcome.isGood() ? "done" : "@|bold,red failed|@")
            + " in "
            + Figures.seconds(System.nanoTime() - startNs));
  }

  private void bytes(String where, long counted, long planned) {
    console.line(
        "  bytes "
            + where
            + "  "
            + Strings.padStart(Figures.grouped(counted), 12, ' ')
            + " sent, "
            + Strings.padStart(Figures.grouped(planned), 12, ' ')
            + " planned  @|faint ("
            + Figures.bytes(counted)
            + ")|@");
  }

  private String bar(int step) {
    int full = (int) ((long) BAR_WIDTH * step / steps);
    return "█".repeat(full) + "@|faint " + "░".repeat(BAR_WIDTH - full) + "|@";
  }
}
