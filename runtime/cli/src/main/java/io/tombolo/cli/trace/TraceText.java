// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Table;
import io.tombolo.cli.console.Wrapped;
import io.tombolo.cli.trace.TraceSummary.GroupSummary;
import io.tombolo.cli.trace.TraceSummary.LeftOut;
import io.tombolo.cli.trace.TraceSummary.RankSummary;
import java.util.stream.Collectors;

/** A {@link TraceSummary} for people. */
record TraceText(Console console) {
  private static final int INDENT = 4;

  void print(TraceSummary summary) {
    summary.groups().forEach(this::print);
    for (LeftOut each : summary.leftOut()) {
      Wrapped.lines("", INDENT, each.text()).forEach(console::line);
    }
  }

  private void print(GroupSummary group) {
    console.line("@|bold communicator %s, %s ranks|@".formatted(group.group(), group.size()));
    for (String finding : group.findings()) {
      Wrapped.lines("  -", INDENT, finding).forEach(console::line);
    }
    Table table =
        new Table("rank", "vendor", "process", "state", "entered", "ended well", "under way");
    group.ranks().forEach(rank -> add(table, rank));
    table.print(console);
    console.line();
  }

  private static void add(Table table, RankSummary rank) {
    String other = rank.rank() == rank.jobRank() ? "" : " (" + rank.jobRank() + " of all)";
    String unreadable =
        rank.torn() + rank.damaged() == 0
            ? ""
            : "; unreadable records: " + (rank.torn() + rank.damaged());
    table.row(
        rank.rank() + other,
        rank.vendor(),
        rank.pid() + " on " + rank.host(),
        rank.state(),
        "#" + rank.entered(),
        "#" + rank.done(),
        rank.underWay().stream().map(TraceSummary.UnderWay::text).collect(Collectors.joining(", "))
            + unreadable);
  }
}
