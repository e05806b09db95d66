// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.doctor;

import io.tombolo.cli.console.Wrapped;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Findings as people read them, in lines that fit a terminal. Pure. */
final class Report {
  private static final String VENDOR = "vendor";

  private Report() {}

  /**
   * The lines, with markup. A host has few of the vendors that there are, and is well: unless
   * {@code all} are wanted, those that are not here share a line.
   */
  static List<String> lines(List<Finding> findings, boolean all) {
    int nameWidth = findings.stream().mapToInt(each -> each.name().length()).max().orElse(0);
    List<String> lines = new ArrayList<>();
    findings.stream()
        .filter(finding -> all || !isFolded(finding))
        .forEach(finding -> lines.addAll(lines(finding, nameWidth)));
    String folded =
        findings.stream()
            .filter(Report::isFolded)
            .map(Finding::name)
            .collect(Collectors.joining(", "));
    if (!all && !folded.isEmpty()) {
      String text = folded + " ('tombolo doctor --all' says why)";
      lines.addAll(Wrapped.lines("    vendors that are not here:", indent(nameWidth), text));
    }
    return lines;
  }

  private static boolean isFolded(Finding finding) {
    return finding.topic().equals(VENDOR) && finding.state() == Finding.State.MISSING;
  }

  private static List<String> lines(Finding finding, int nameWidth) {
    String mark =
        switch (finding.state()) {
          case GOOD -> "@|green ✓|@";
          case POOR -> "@|yellow !|@";
          case MISSING -> "@|red ✗|@";
        };
    String head = "    %-7s %s".formatted(finding.topic(), finding.name());
    List<String> lines = new ArrayList<>(Wrapped.lines(head, indent(nameWidth), finding.value()));
    lines.set(0, "  " + mark + lines.get(0).substring(3));
    if (!finding.fix().isEmpty()) {
      Wrapped.lines("", indent(nameWidth), "→ " + finding.fix())
          .forEach(line -> lines.add("@|faint " + line + "|@"));
    }
    return lines;
  }

  private static int indent(int nameWidth) {
    return 4 + 8 + nameWidth + 1;
  }
}
