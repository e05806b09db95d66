// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import io.tombolo.cli.train.Schedule;
import java.util.Collection;
import java.util.List;

/**
 * A demo as {@code --json} shows it; names get underscores there.
 *
 * @param ok whether all checks hold
 * @param checks every check and what was found
 * @param steps batches learnt from
 * @param loss mean loss over the last pass
 * @param accuracy share of the test images that is classified right
 * @param aloneAccuracy the same for the training in one process
 * @param identicalWeights whether all ranks hold the same bits
 * @param bytesCounted what all ranks handed on, counted there
 * @param bytesPlanned the same, by the plans
 * @param survivors who went on without ranks that died, from which step; none, if none died
 * @param clustering who was in which cluster, why, and how they reached each other
 * @param ranks what each rank's own process said at the end
 */
record Summary(
    boolean ok,
    List<Outcome.Check> checks,
    int steps,
    double loss,
    double accuracy,
    double aloneAccuracy,
    boolean identicalWeights,
    Bytes bytesCounted,
    Bytes bytesPlanned,
    List<RankReport.WentOn> survivors,
    List<RankReport.Joined> clustering,
    List<RankReport.Finished> ranks) {

  static Summary of(Collection<RankReport.Joined> joined, Schedule schedule, Outcome outcome) {
    return new Summary(
        outcome.isGood(),
        outcome.checks(),
        schedule.steps(),
        outcome.ranks().get(0).loss(),
        outcome.accuracy(),
        outcome.aloneAccuracy(),
        outcome.hasIdenticalWeights(),
        outcome.counted(),
        outcome.planned(),
        outcome.survivors(),
        List.copyOf(joined),
        outcome.ranks());
  }
}
