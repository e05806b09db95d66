// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.testng.annotations.Test;

public class ForecastTest {
  private static Forecast of(int ranks) {
    Clustering clustering =
        Clustering.of(
            IntStream.range(0, ranks)
                .mapToObj(rank -> new RankSite(rank, rank < ranks / 2 ? "a" : "b", "host", "d"))
                .toList());
    Capabilities all =
        Capabilities.of(
            EnumSet.allOf(Primitive.class),
            EnumSet.allOf(DataType.class),
            EnumSet.allOf(ReduceOp.class),
            Set.of());
    return new Forecast(
        PlanContext.evenly(1, clustering, ImmutableList.of(all, all), Tuning.DEFAULT));
  }

  private static double timeUs(Forecast forecast, long count) {
    return forecast.timeUs(CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false));
  }

  @Test
  public void shouldForeseeThatMoreTakesLonger() {
    Forecast forecast = of(4);
    assertFalse(forecast.isCalibrated());
    assertTrue(timeUs(forecast, 1) > 0);
    assertTrue(timeUs(forecast, 100_000_000) > 100 * timeUs(forecast, 1));
  }

  @Test
  public void shouldLetOneRankStandForAllWhereThereAreMany() {
    assertEquals(timeUs(of(18), 1_000_000), timeUs(of(16), 1_000_000), timeUs(of(16), 1_000_000));
  }
}
