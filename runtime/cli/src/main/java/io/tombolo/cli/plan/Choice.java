// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import io.tombolo.cli.console.Figures;
import io.tombolo.runtime.plan.Algorithm;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.CostTuner;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;
import java.util.stream.Collectors;

/**
 * The algorithm of a call and the reason for it.
 *
 * @param name the algorithm
 * @param reason why, as a phrase
 */
record Choice(String name, String reason) {
  static Choice of(PlannedJob job) {
    PlanContext context = job.context();
    CollectiveCall call = job.call();
    Planner planner = new Planner(context);
    if (planner.isFlat(call)) {
      return new Choice(
          "flat", "all ranks' memory is this host's: one call of the host library does it");
    }
    Algorithm algorithm = planner.algorithm(call);
    return new Choice(algorithm.text(), reason(context, call));
  }

  private static String reason(PlanContext context, CollectiveCall call) {
    if (call.collective().algorithms().size() == 1) {
      return "no matter: there is one way to do it";
    }
    if (context.clustering().clusters().size() == 1) {
      return "no matter: there is one cluster, and its library does it";
    }
    if (CostTuner.estimatePs(context, call, Algorithm.PIECES) == 0) {
      return "no matter: each block goes straight to its rank";
    }
    String estimates =
        Algorithm.of(call.collective().even()).stream()
            .map(each -> estimate(context, call, each))
            .collect(Collectors.joining(", ", "estimated ", ""));
    return context.tuning().algorithms().rules().isEmpty()
        ? "the cheapest: " + estimates
        : "rules %s; %s".formatted(context.tuning().algorithms(), estimates);
  }

  private static String estimate(PlanContext context, CollectiveCall call, Algorithm algorithm) {
    String way =
        switch (algorithm) {
          case PIECES -> "in pieces";
          case DIRECT -> "directly";
          case DOUBLING -> "by doubling";
        };
    return Figures.time(CostTuner.estimatePs(context, call, algorithm)) + " " + way;
  }
}
