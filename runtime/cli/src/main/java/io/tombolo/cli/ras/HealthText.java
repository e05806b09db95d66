// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.ras;

import com.google.common.base.CharMatcher;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Table;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A {@link JobHealth} as people read it. */
final class HealthText {
  /** So many ranks have a line; those first that are worth a look. */
  private static final int MAX_LINES = 32;

  private final Console console;

  HealthText(Console console) {
    this.console = console;
  }

  /** The ranks, and what matters. */
  void print(JobHealth health) {
    Table table = new Table("rank", "vendor", "host", "process", "is", "calls", "new");
    List<RankHealth> shown = health.ranks().subList(0, Math.min(MAX_LINES, health.ranks().size()));
    for (RankHealth rank : shown) {
      table.row(
          rank.rank(),
          rank.vendor(),
          rank.host(),
          rank.process(),
          rank.condition(),
          rank.calls(),
          rank.newCalls());
    }
    table.print(console);
    if (shown.size() < health.ranks().size()) {
      console.line("  … and " + (health.ranks().size() - shown.size()) + " more");
    }
    console.line();
    findings(health);
  }

  /** The findings, where they are others than those of {@code last}. */
  void printChange(Optional<JobHealth> last, JobHealth health) {
    if (last.isEmpty()) {
      print(health);
    } else if (!gist(last.get()).equals(gist(health))) {
      findings(health);
    } else {
      console.progress(health.findings().get(health.findings().size() - 1));
    }
  }

  /** What people are to hear of when it changes: who is how, and whether calls are made. */
  private static List<String> gist(JobHealth health) {
    return Stream.concat(
            health.ranks().stream().map(rank -> rank.rank() + " " + rank.condition()),
            health.findings().stream()
                .map(finding -> CharMatcher.inRange('0', '9').removeFrom(finding)))
        .sorted()
        .toList();
  }

  private void findings(JobHealth health) {
    console.verdict(health.isWell(), health.isWell() ? "all ranks are well" : "not all is well");
    health.findings().forEach(finding -> console.line("  " + finding));
  }
}
