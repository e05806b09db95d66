// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.runtime.plan.Algorithm;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Tuner;

/** What no tuner may be: it chooses what its process tells it to, whatever the others do. */
public final class TestTuner implements Tuner {
  static final String NAME = "of this process";

  private static volatile Algorithm chosen = Algorithm.PIECES;

  /** All calls from now on are planned so, here. */
  static void choose(Algorithm algorithm) {
    chosen = algorithm;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Algorithm choose(PlanContext context, CollectiveCall call) {
    return chosen;
  }
}
