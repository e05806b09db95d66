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
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.testng.annotations.Test;

public class ForecastTest {
  private static final double VENDOR_US = 100;

  private static Forecast of(int ranks) {
    return new Forecast(context(ranks));
  }

  private static PlanContext context(int ranks) {
    Clustering clustering =
        Clustering.of(
            IntStream.range(0, ranks)
                .mapToObj(rank -> new RankSite(rank, rank < ranks / 2 ? "a" : "b", "host", "d"))
                .toList());
    return PlanContext.evenly(
        1, clustering, ImmutableList.of(everything(), everything()), Tuning.DEFAULT);
  }

  private static Capabilities everything() {
    return Capabilities.of(
        EnumSet.allOf(Primitive.class),
        EnumSet.allOf(DataType.class),
        EnumSet.allOf(ReduceOp.class),
        Set.of());
  }

  /** The same ranks, and the host library for all of them. */
  private static PlanContext flat(PlanContext apart) {
    return new PlanContext(
        1,
        apart.clustering(),
        apart.capabilities(),
        apart.relays(),
        apart.tuning(),
        apart.calibration(),
        Optional.of(everything()));
  }

  /** What the vendors' libraries add to the bound, of {@link #VENDOR_US}. */
  private static double vendorsPart(PlanContext context) {
    CollectiveCall call = CollectiveCall.allReduce(1 << 20, DataType.F32, ReduceOp.SUM, false);
    CoreSpeed speed = new CoreSpeed(10_000, 5_000);
    Forecast forecast = new Forecast(context);
    return forecast.boundUs(call, speed, VENDOR_US) - forecast.boundUs(call, speed, 0);
  }

  private static double timeUs(Forecast forecast, long count) {
    CollectiveCall call = CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false);
    return forecast.timeUs(rank -> call);
  }

  @Test
  public void shouldForeseeThatMoreTakesLonger() {
    Forecast forecast = of(4);
    assertFalse(forecast.isCalibrated());
    assertTrue(timeUs(forecast, 1) > 0);
    assertTrue(timeUs(forecast, 100_000_000) > 100 * timeUs(forecast, 1));
  }

  @Test
  public void shouldForeseeMessagesThatEachRankSendsToAnother() {
    Ring ring = Ring.of(context(4).clustering());
    double emptyUs = messageUs(ring, 0);
    double smallUs = messageUs(ring, 1000);
    assertEquals(emptyUs, 0, 1e-6, "what is empty is not sent");
    assertTrue(smallUs > 0 && messageUs(ring, 10_000_000) > 100 * smallUs);
  }

  private static double messageUs(Ring ring, long count) {
    Operation first = SendReceive.of(ring, 0);
    return of(ring.size())
        .timeUs(rank -> first.at(rank).call(count, DataType.F32, ReduceOp.SUM, false));
  }

  @Test
  public void shouldAllowTheVendorsTheirTimeOnlyWhereTheyAreAsked() {
    assertEquals(vendorsPart(context(4)), VENDOR_US, 1e-6);
    assertEquals(vendorsPart(flat(context(4))), 0, 1e-6);
  }

  @Test
  public void shouldLetOneRankStandForAllWhereThereAreMany() {
    assertEquals(timeUs(of(18), 1_000_000), timeUs(of(16), 1_000_000), timeUs(of(16), 1_000_000));
  }
}
