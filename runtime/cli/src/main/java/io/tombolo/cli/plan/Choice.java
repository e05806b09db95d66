package io.tombolo.cli.plan;

import io.tombolo.cli.console.Figures;
import io.tombolo.runtime.plan.Algorithm;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.CostTuner;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;

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
    Algorithm algorithm = new Planner(context).algorithm(call);
    return new Choice(algorithm.text(), reason(context, call));
  }

  private static String reason(PlanContext context, CollectiveCall call) {
    if (context.clustering().clusters().size() == 1) {
      return "no matter: there is one cluster, and its library does it";
    }
    long pieces = CostTuner.estimatePs(context, call, Algorithm.PIECES);
    if (pieces == 0) {
      return "no matter: each block goes straight to its rank";
    }
    String estimates =
        "estimated %s in pieces, %s directly"
            .formatted(
                Figures.time(pieces),
                Figures.time(CostTuner.estimatePs(context, call, Algorithm.DIRECT)));
    return context.tuning().algorithms().rules().isEmpty()
        ? "the cheaper: " + estimates
        : "rules %s; %s".formatted(context.tuning().algorithms(), estimates);
  }
}
