// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import com.google.common.collect.ImmutableList;
import io.tombolo.cli.console.Figures;
import java.util.List;
import java.util.Locale;

/**
 * What came out of a demo, and whether it was right. Pure.
 *
 * @param ranks every rank's last report, by rank
 * @param survivors those that went on without ranks that died, by their new ranks; none, if none
 *     died
 * @param aloneAccuracy accuracy of the same training in one process
 */
record Outcome(
    ImmutableList<RankReport.Finished> ranks,
    ImmutableList<RankReport.WentOn> survivors,
    double aloneAccuracy) {
  private static final double ALLOWED_POINTS = 0.5;

  /**
   * One thing that must be so.
   *
   * @param good whether it is
   * @param text what was found
   */
  record Check(boolean good, String text) {}

  /** Every check, in the order people want to read them. */
  List<Check> checks() {
    return ImmutableList.of(identicalWeights(), bytesAsPlanned(), sameAccuracy());
  }

  /** Whether all checks hold. */
  boolean isGood() {
    return checks().stream().allMatch(Check::good);
  }

  /** Accuracy of the weights that the first rank holds, 0 … 1. */
  double accuracy() {
    return ranks.get(0).accuracy();
  }

  /** Bytes that all ranks counted where they handed them on. */
  Bytes counted() {
    return ranks.stream().map(RankReport.Finished::counted).reduce(Bytes.NONE, Bytes::plus);
  }

  /** Bytes that all ranks' plans say. */
  Bytes planned() {
    return ranks.stream().map(RankReport.Finished::planned).reduce(Bytes.NONE, Bytes::plus);
  }

  /** Whether all ranks hold the same bits. */
  boolean hasIdenticalWeights() {
    return ranks.stream().map(RankReport.Finished::weightHash).distinct().count() == 1;
  }

  private Check identicalWeights() {
    long kinds = ranks.stream().map(RankReport.Finished::weightHash).distinct().count();
    return kinds == 1
        ? new Check(
            true,
            ranks.size() == 1
                ? "the weights of one rank: nothing to compare"
                : "all " + ranks.size() + " ranks hold bit-identical weights")
        : new Check(false, ranks.size() + " ranks hold " + kinds + " different sets of weights");
  }

  private Check bytesAsPlanned() {
    List<Integer> off =
        ranks.stream()
            .filter(rank -> !rank.counted().equals(rank.planned()))
            .map(RankReport.Finished::rank)
            .toList();
    return off.isEmpty()
        ? new Check(true, "every rank moved as many bytes as its plan says" + since())
        : new Check(false, "other bytes than planned moved on rank " + off);
  }

  private String since() {
    return survivors.isEmpty()
        ? ""
        : ", in the steps since %d with %d ranks"
            .formatted(survivors.get(0).step(), survivors.size());
  }

  private Check sameAccuracy() {
    double points = 100 * Math.abs(accuracy() - aloneAccuracy);
    String text =
        String.format(
            Locale.ROOT,
            "accuracy %s; the same training in one process reaches %s (%.1f points apart, %.1f allowed)",
            Figures.percent(accuracy()),
            Figures.percent(aloneAccuracy),
            points,
            ALLOWED_POINTS);
    return new Check(points <= ALLOWED_POINTS, text);
  }
}
