// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import com.google.common.base.Joiner;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Figures;
import io.tombolo.cli.console.Table;
import io.tombolo.tensors.reshard.Resharding;
import java.util.List;

/** A planned resharding for people. */
final class ReshardText {
  /** More rows than anyone reads. */
  private static final int MAX_RANKS = 64;

  private ReshardText() {}

  static void print(Console console, ReshardSummary summary, Resharding plan) {
    console.line(
        "%s %s (%s) from %d ranks (%s) to %d ranks (%s)"
            .formatted(
                summary.type(),
                Joiner.on('x').join(summary.shape()),
                Figures.bytes(summary.sizeBytes()),
                plan.from().size(),
                summary.from(),
                plan.to().size(),
                summary.to()));
    console.line();
    ReshardPicture.of(plan).ifPresent(picture -> print(console, picture));
    ranks(summary).print(console);
    if (summary.ranks().size() > MAX_RANKS) {
      console.line("  … %d more; --json has all".formatted(summary.ranks().size() - MAX_RANKS));
    }
    console.line();
    console.line("  in all     " + sentence(summary));
    console.line("  " + summary.proven());
    if (summary.program() != null) {
      console.line();
      program(summary.program()).print(console);
    }
  }

  private static void print(Console console, ReshardPicture picture) {
    picture.table().print(console);
    console.line();
    console.line("  " + picture.legend());
    console.line();
  }

  private static String sentence(ReshardSummary summary) {
    ReshardSummary.Distances bytes = summary.bytes();
    return "%s stay in their process, %s stay on their host, %s go to another host of the vendor, %s to another vendor's; %s transfers"
        .formatted(
            Figures.bytes(bytes.process()),
            Figures.bytes(bytes.host()),
            Figures.bytes(bytes.vendor()),
            Figures.bytes(bytes.other()),
            Figures.grouped(summary.transfers()));
  }

  private static Table ranks(ReshardSummary summary) {
    Table table =
        new Table(
            "rank", "process", "wants", "has", "same host", "same vendor", "other", "transfers");
    for (ReshardSummary.RankRow row :
        summary.ranks().subList(0, Math.min(MAX_RANKS, summary.ranks().size()))) {
      table.row(
          row.rank(),
          row.process(),
          row.box(),
          Figures.bytes(row.bytes().process()),
          Figures.bytes(row.bytes().host()),
          Figures.bytes(row.bytes().vendor()),
          Figures.bytes(row.bytes().other()),
          Figures.grouped(row.transfers()));
    }
    return table;
  }

  private static Table program(List<ReshardSummary.TransferRow> program) {
    Table table = new Table("from rank", "elements", "bytes", "distance");
    for (ReshardSummary.TransferRow row : program) {
      table.row(row.from(), row.box(), Figures.bytes(row.sizeBytes()), row.distance());
    }
    return table;
  }
}
