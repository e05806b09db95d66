// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import io.tombolo.topology.Clustering;
import java.util.Comparator;

/**
 * The tuner that is used unless another is asked for: the algorithm whose slowest cluster is
 * estimated to be done first. A closed formula in α + β·bytes over the phases one after the other;
 * it plans nothing, so its cost does not grow with the vector.
 */
public final class CostTuner implements Tuner {
  /** The name of this tuner. */
  public static final String NAME = "cost";

  /** The only one. */
  static final CostTuner INSTANCE = new CostTuner();

  private CostTuner() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Algorithm choose(PlanContext context, CollectiveCall call) {
    return Algorithm.of(call.collective().even()).stream()
        .min(Comparator.comparingLong(algorithm -> estimatePs(context, call, algorithm)))
        .orElseThrow();
  }

  /**
   * What {@code call} would take by {@code algorithm}, in picoseconds; 0 for calls that all
   * algorithms carry out alike.
   */
  public static long estimatePs(PlanContext context, CollectiveCall call, Algorithm algorithm) {
    Clustering clustering = context.clustering();
    if (clustering.clusters().size() == 1 || call.layout() instanceof Layout.Pairwise) {
      return 0;
    }
    boolean oneHost = Prices.oneHost(clustering);
    return clustering.clusters().stream()
        .map(
            cluster ->
                call.collective()
                    .row()
                    .estimatePs(
                        new Estimate(
                            context,
                            call,
                            algorithm,
                            cluster,
                            Prices.of(context, cluster),
                            oneHost)))
        .max(Comparator.naturalOrder())
        .orElse(0L);
  }
}
