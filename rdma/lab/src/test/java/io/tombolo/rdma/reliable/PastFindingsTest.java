// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * What networks that are not ours have brought to light once: each play finds it again when it is
 * put back, and finds nothing else.
 */
public class PastFindingsTest {
  private static final long GBIT = 125_000_000;
  private static final long LONG_QUEUE = 16 << 20;
  private static final int MESSAGE_BYTES = 4 << 20;
  private static final long SEED = 7;
  private static final int SEEDS = Math.max(60, Integer.getInteger("tombolo.sim.seeds", 0) / 50);
  private static final ProtocolConfig CONFIG = ProtocolConfig.of(Shape.DATAGRAM, 4096);

  @DataProvider
  Object[][] findings() {
    return PastFindings.all().entrySet().stream()
        .map(e -> new Object[] {e.getKey(), e.getValue(), plays().get(e.getKey())})
        .toArray(Object[][]::new);
  }

  /** By finding, the play that complains of it. */
  private static Map<String, Predicate<ProtocolParts>> plays() {
    return Map.of(
        PastFindings.STANDSTILL, PastFindingsTest::standsStillUnderHeavyLoss,
        PastFindings.FLOOD, PastFindingsTest::floodsAShallowQueue,
        PastFindings.IDLE_GROWTH, PastFindingsTest::opensItsWindowByIdling,
        PastFindings.DRIFT, PastFindingsTest::takesItsQueueForThePath,
        PastFindings.LATE_WRITE, PastFindingsTest::writesAfterItsEnd,
        PastFindings.FORGERY, PastFindingsTest::isHarmedByAStranger,
        PastFindings.OTHERS, PastFindingsTest::isHarmedByAStranger);
  }

  @Test(dataProvider = "findings")
  public void shouldFindItAgainWhenItIsPutBack(
      String name, ProtocolParts mutant, Predicate<ProtocolParts> play) {
    assertFalse(play.test(new ProtocolParts()), name + ": found though it is not there");
    assertTrue(play.test(mutant), name + ": not found");
  }

  private static boolean standsStillUnderHeavyLoss(ProtocolParts parts) {
    long rate = 8 * GBIT;
    return report(play(rate, 1_000_000, LONG_QUEUE, 0.2, 200, parts, flow -> flow.goodput()))
        < 0.6 * rate;
  }

  private static boolean floodsAShallowQueue(ProtocolParts parts) {
    return report(play(25 * GBIT, 20_000, 31_250, 0, 300, parts, BulkFlow::repeats)) > 0.02;
  }

  private static boolean takesItsQueueForThePath(ProtocolParts parts) {
    return report(play(2_500_000, 40_000_000, LONG_QUEUE, 0, 1500, parts, BulkFlow::windowChunks))
        > 40;
  }

  private static boolean opensItsWindowByIdling(ProtocolParts parts) {
    SimulatedNetwork network = network(8 * GBIT, 1_000_000, LONG_QUEUE, 0);
    try (SmallFlow flow = new SmallFlow(network, CONFIG, parts)) {
      flow.begin();
      BulkFlow.run(network, 300 * 1_000_000L);
      return report(flow.windowChunks()) > 32;
    }
  }

  private static boolean writesAfterItsEnd(ProtocolParts parts) {
    return isFoundIn(script -> AbruptEnd.play(script, parts));
  }

  private static boolean isHarmedByAStranger(ProtocolParts parts) {
    return isFoundIn(script -> SeededConversation.play(script, new Stranger(script, parts)));
  }

  /** Whether {@code play} complains of any seed; the first such. */
  private static boolean isFoundIn(Function<Script, String> play) {
    for (long seed = 0; seed < SEEDS; seed++) {
      Script script = Script.of(seed);
      String complaint = play.apply(script);
      if (complaint != null) {
        System.out.println(script + ": " + complaint);
        return true;
      }
    }
    return false;
  }

  private static double report(double seen) {
    System.out.printf("seen: %.3f%n", seen);
    return seen;
  }

  /** What {@code result} says of a bulk flow from a third of {@code rounds} round trips on. */
  private static double play(
      long rate,
      long rttNs,
      long queueBytes,
      double loss,
      int rounds,
      ProtocolParts parts,
      ToDoubleFunction<BulkFlow> result) {
    SimulatedNetwork network = network(rate, rttNs, queueBytes, loss);
    try (BulkFlow flow = new BulkFlow(network, CONFIG, parts, MESSAGE_BYTES)) {
      BulkFlow.run(network, rounds / 3 * rttNs);
      flow.mark();
      BulkFlow.run(network, rounds * rttNs);
      return result.applyAsDouble(flow);
    }
  }

  private static SimulatedNetwork network(long rate, long rttNs, long queueBytes, double loss) {
    FaultPlan plan = FaultPlan.calm(rttNs / 2).withRate(rate, queueBytes).withLoss(loss);
    return new SimulatedNetwork(SEED, plan, 2);
  }
}
