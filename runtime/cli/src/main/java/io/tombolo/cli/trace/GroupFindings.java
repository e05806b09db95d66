// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import com.google.common.collect.LinkedListMultimap;
import com.google.common.collect.Multimap;
import io.tombolo.cli.trace.TraceSummary.Lateness;
import io.tombolo.cli.trace.TraceSummary.Mismatch;
import io.tombolo.cli.trace.TraceSummary.Missing;
import io.tombolo.cli.trace.TraceSummary.UnderWay;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What matters of a communicator, in words. Pure. */
record GroupFindings(
    GroupTrace group,
    List<Missing> missing,
    List<Mismatch> mismatches,
    Optional<Lateness> lateness,
    List<Integer> unseen) {

  /** The most important first; never empty. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    missing.forEach(each -> lines.add(absent(each)));
    mismatches.forEach(each -> lines.add(differing(each)));
    group.ranks().stream().filter(RankTrace::isGone).forEach(rank -> lines.add(gone(rank)));
    firstFailure()
        .ifPresent(
            rank -> lines.add("rank " + rank.rank() + " failed first: " + rank.end().cause()));
    addUnderWay(lines);
    if (!unseen.isEmpty()) {
      lines.add(
          "there is no file of %s: see whether they recorded into this folder, or never joined"
              .formatted(ranks(unseen)));
    }
    if (lines.isEmpty()) {
      lines.add(peace());
    }
    lateness.ifPresent(each -> lines.add(late(each)));
    return lines;
  }

  private String absent(Missing each) {
    boolean mayCome =
        group.ranks().stream()
            .filter(rank -> each.ranks().contains(rank.rank()))
            .allMatch(RankTrace::mayCome);
    return "%s %s entered %s (#%s, %s bytes), which %s did"
        .formatted(
            ranks(each.ranks()),
            mayCome ? each.ranks().size() == 1 ? "has not" : "have not" : "never",
            each.operation(),
            each.sequence(),
            each.sizeBytes(),
            ranks(each.entered()));
  }

  private static String differing(Mismatch each) {
    return "operation #%s is not the same everywhere: %s"
        .formatted(
            each.sequence(),
            each.sides().stream()
                .map(
                    side ->
                        "%s entered %s (%s bytes)"
                            .formatted(ranks(side.ranks()), side.operation(), side.sizeBytes()))
                .collect(Collectors.joining(", but ")));
  }

  private static String gone(RankTrace rank) {
    List<UnderWay> underWay = rank.underWay();
    return "the process of rank %s (%s, pid %s on %s) ended without a word; under way: %s"
        .formatted(
            rank.rank(),
            rank.recording().header().vendor(),
            rank.recording().header().process().pid(),
            rank.recording().header().host(),
            underWay.isEmpty() ? "nothing" : texts(underWay));
  }

  private Optional<RankTrace> firstFailure() {
    return group.ranks().stream()
        .filter(rank -> rank.failedNs().isPresent())
        .min(Comparator.comparingLong(rank -> rank.failedNs().orElseThrow()));
  }

  /** Ranks whose processes are gone have had their line. */
  private void addUnderWay(List<String> lines) {
    Multimap<String, Integer> byOperation = LinkedListMultimap.create();
    for (RankTrace rank : group.ranks()) {
      if (!rank.isGone()) {
        rank.underWay().forEach(each -> byOperation.put(which(each), rank.rank()));
      }
    }
    byOperation
        .asMap()
        .forEach(
            (operation, ranks) ->
                lines.add(operation + " had not ended on " + ranks(List.copyOf(ranks))));
  }

  private static String which(UnderWay each) {
    String number = each.kind().equals("message") ? "message #" : "#";
    return "%s (%s%s, %s bytes)"
        .formatted(each.operation(), number, each.sequence(), each.sizeBytes());
  }

  private String peace() {
    long operations = group.ranks().get(0).entered();
    boolean ended = group.ranks().stream().noneMatch(RankTrace::mayCome);
    return "all %s ranks made the same %s operations, and %s"
        .formatted(
            group.size(), operations, ended ? "left when they had ended" : "nothing is under way");
  }

  private String late(Lateness each) {
    long hosts =
        group.ranks().stream().map(rank -> rank.recording().process().hostId()).distinct().count();
    return "rank %s came last to %s of the last %s operations that all came to, then %s ms after the first%s"
        .formatted(
            each.rank(),
            each.last(),
            each.operations(),
            each.meanMs(),
            hosts > 1 ? ", by their hosts' clocks" : "");
  }

  private static String texts(List<UnderWay> all) {
    return all.stream().map(UnderWay::text).collect(Collectors.joining(", "));
  }

  /** {@code rank 3}, {@code ranks 0, 2-5}. */
  static String ranks(List<Integer> ranks) {
    StringBuilder text = new StringBuilder(ranks.size() == 1 ? "rank " : "ranks ");
    for (int i = 0; i < ranks.size(); ) {
      int last = i;
      while (last + 1 < ranks.size() && ranks.get(last + 1) == ranks.get(last) + 1) {
        last++;
      }
      text.append(i == 0 ? "" : ", ").append(ranks.get(i));
      if (last > i) {
        text.append(last == i + 1 ? ", " : "-").append(ranks.get(last));
      }
      i = last + 1;
    }
    return text.toString();
  }
}
