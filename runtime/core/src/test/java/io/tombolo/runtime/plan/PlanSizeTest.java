// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableMap;
import io.tombolo.base.DataType;
import io.tombolo.runtime.JobContext;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.ImaginedRanks;
import io.tombolo.topology.calibration.Calibration;
import org.testng.annotations.Test;

/** How many steps, and how much waiting between them, plans of thousands of ranks have. */
public final class PlanSizeTest {
  private static final int EACH = 500;

  private static Plan plan(int blockBytes, boolean inPlace) {
    ClusterSpec spec = ClusterSpec.parse("a:%s,b:%s".formatted(EACH, EACH));
    PlanContext context =
        JobContext.of(ImaginedRanks.apart(spec), ImmutableMap.of(), Calibration.none());
    CollectiveCall call =
        new CollectiveCall(
            Collective.ALL_TO_ALL,
            DataType.U8,
            new Reduction.None(),
            0,
            new Layout.Even(blockBytes),
            inPlace);
    return new Planner(context).plan(call, 7);
  }

  @Test
  public void shouldSendAndReceiveEachBlockAndCopyManyAtOnce() {
    for (boolean inPlace : new boolean[] {false, true}) {
      Plan plan = plan(100, inPlace);
      long messages =
          plan.steps().stream()
              .filter(step -> !(step.action() instanceof Action.Copy))
              .filter(step -> !(step.action() instanceof Action.Exchange))
              .count();
      assertEquals(messages, 2 * EACH);
      long copies = plan.steps().size() - messages;
      assertTrue(copies <= (inPlace ? EACH : 0) + 5, copies + " copies");
    }
  }

  @Test
  public void shouldWaitForAFewStepsEachHoweverManyMessagesShareTheStage() {
    Plan plan = plan(64 << 10, false);
    long waits = plan.steps().stream().mapToLong(step -> step.after().length()).sum();
    assertTrue(plan.steps().size() > 8 * EACH, "one segment only");
    assertTrue(
        waits < 12L * plan.steps().size(), waits + " waits of " + plan.steps().size() + " steps");
  }
}
