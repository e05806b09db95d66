// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs candidates in turn, each turn with a seed of its own, so that a moment in which the machine
 * is busy hits all of them, and keeps for each the run of median goodput.
 */
final class Tournament {
  private final String fabric;
  private final ImmutableList<String> protocols;
  private final int runs;
  private final Consumer<String> progress;

  Tournament(String fabric, ImmutableList<String> protocols, int runs, Consumer<String> progress) {
    this.fabric = fabric;
    this.protocols = protocols;
    this.runs = runs;
    this.progress = progress;
    protocols.forEach(protocol -> Candidates.named(fabric, protocol));
  }

  /** The median run of each candidate, in their order. */
  ImmutableList<LossResult> play(Trial trial) {
    List<List<LossResult>> all = new ArrayList<>();
    protocols.forEach(protocol -> all.add(new ArrayList<>()));
    for (int run = 0; run < runs; run++) {
      for (int i = 0; i < protocols.size(); i++) {
        progress.accept(
            "run %d of %d: %s/%s at %s loss"
                .formatted(
                    run + 1,
                    runs,
                    fabric,
                    protocols.get(i),
                    OutcomePrinter.percent(trial.plan().lossProbability())));
        all.get(i)
            .add(
                Candidates.named(fabric, protocols.get(i))
                    .run(trial.withSeed(trial.faults().seed() + run)));
      }
    }
    return all.stream().map(Tournament::median).collect(ImmutableList.toImmutableList());
  }

  private static LossResult median(List<LossResult> outcomes) {
    outcomes.sort(Comparator.comparingDouble(LossResult::goodput));
    return outcomes.get(outcomes.size() / 2);
  }
}
