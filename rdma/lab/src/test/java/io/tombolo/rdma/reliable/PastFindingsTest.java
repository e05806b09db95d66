// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static java.util.Map.entry;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.CloseStack;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.util.ArrayList;
import java.util.List;
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
    return Map.ofEntries(
        entry(PastFindings.STANDSTILL, PastFindingsTest::standsStillUnderHeavyLoss),
        entry(PastFindings.FLOOD, PastFindingsTest::floodsAShallowQueue),
        entry(PastFindings.IDLE_GROWTH, PastFindingsTest::opensItsWindowByIdling),
        entry(PastFindings.DRIFT, PastFindingsTest::takesItsQueueForThePath),
        entry(PastFindings.LATE_WRITE, PastFindingsTest::writesAfterItsEnd),
        entry(PastFindings.FORGERY, PastFindingsTest::isHarmedByAStranger),
        entry(PastFindings.OTHERS, PastFindingsTest::isHarmedByAStranger),
        entry(PastFindings.LATE_COMER, PastFindingsTest::takesTheLinkAsALateComer),
        entry(PastFindings.HASTE, PastFindingsTest::repeatsWhatIsAcknowledgedLate),
        entry(PastFindings.BACK_OFF, PastFindingsTest::waitsForClearToSends),
        entry(PastFindings.DEEP_FALL, PastFindingsTest::runsDryOnALongPath),
        entry(PastFindings.GENEROSITY, PastFindingsTest::takesAQueueForNoise),
        entry(PastFindings.OLD_NEWS, PastFindingsTest::writesIntoSlotsOfOthers),
        entry(PastFindings.CONTAGION, PastFindingsTest::takesOverflowsForChance),
        entry(PastFindings.STARVING, PastFindingsTest::starvesBesideReno));
  }

  @Test(dataProvider = "findings")
  public void shouldFindItAgainWhenItIsPutBack(
      String name, ProtocolParts mutant, Predicate<ProtocolParts> play) {
    assertFalse(play.test(new ProtocolParts()), name + ": found though it is not there");
    assertTrue(play.test(mutant), name + ": not found");
  }

  /** So that a minute of what is to hold for an hour is long enough for CI. */
  @Test
  public void shouldDriftWithinAMinuteWhenTheShortestRoundTripIsForgotten() {
    ProtocolParts drifting = PastFindings.all().get(PastFindings.DRIFT);
    int most = UnkindNetworkTest.mostChunks(drifting, UnkindNetworkTest.MINUTE);
    assertTrue(most > UnkindNetworkTest.MOST_CHUNKS, "window " + most);
  }

  private static boolean standsStillUnderHeavyLoss(ProtocolParts parts) {
    long rate = 8 * GBIT;
    return report(play(rate, 1_000_000, LONG_QUEUE, 0.2, 200, parts, flow -> flow.goodput()))
        < 0.6 * rate;
  }

  private static boolean floodsAShallowQueue(ProtocolParts parts) {
    return report(play(25 * GBIT, 20_000, 31_250, 0, 300, parts, BulkFlow::repeats)) > 0.02;
  }

  /** Of two flows, with what {@code uc} and {@code ud} believe to be noise at most. */
  private static boolean takesAQueueForNoise(ProtocolParts parts) {
    SimulatedNetwork network = network(25 * GBIT, 20_000, 128 << 10, 0);
    ProtocolConfig config = CONFIG.toBuilder().flight(512, 200_000).build();
    try (BulkFlow one = new BulkFlow(network, config, parts, MESSAGE_BYTES);
        BulkFlow other = new BulkFlow(network, config, parts, MESSAGE_BYTES)) {
      BulkFlow.run(network, 100 * 20_000L);
      one.mark();
      other.mark();
      BulkFlow.run(network, 200 * 20_000L);
      return report(Math.max(one.repeats(), other.repeats())) > 0.02;
    }
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

  /** Of two flows from the late one's coming on. */
  private static boolean takesTheLinkAsALateComer(ProtocolParts parts) {
    SimulatedNetwork network = network(GBIT, 1_000_000, LONG_QUEUE, 0);
    try (BulkFlow old = new BulkFlow(network, CONFIG, parts, MESSAGE_BYTES)) {
      BulkFlow.run(network, 200 * 1_000_000L);
      try (BulkFlow late = new BulkFlow(network, CONFIG, parts, MESSAGE_BYTES)) {
        BulkFlow.run(network, 50 * 1_000_000L);
        return report(part(network, old, late, 200)) < 0.4;
      }
    }
  }

  /** Of eight flows, before a queue that has no room for five chunks of each. */
  private static boolean takesOverflowsForChance(ProtocolParts parts) {
    SimulatedNetwork network = network(25 * GBIT, 20_000, 128 << 10, 0);
    List<BulkFlow> flows = new ArrayList<>();
    try (CloseStack stack = new CloseStack()) {
      for (int i = 0; i < 8; i++) {
        flows.add(stack.opened(new BulkFlow(network, CONFIG, parts, MESSAGE_BYTES)));
        BulkFlow.run(network, 50 * 20_000L);
      }
      BulkFlow.run(network, 800 * 20_000L);
      flows.forEach(BulkFlow::mark);
      BulkFlow.run(network, 400 * 20_000L);
      return report(flows.stream().mapToDouble(BulkFlow::repeats).average().orElseThrow()) > 0.1;
    }
  }

  private static boolean starvesBesideReno(ProtocolParts parts) {
    ProtocolParts reno =
        new ProtocolParts() {
          @Override
          CongestionControl congestionControl(ProtocolConfig config) {
            return new LossCongestionControl(config.maxInFlightChunks());
          }
        };
    SimulatedNetwork network = network(8 * GBIT, 1_000_000, 1_000_000, 0);
    try (BulkFlow other = new BulkFlow(network, CONFIG, reno, MESSAGE_BYTES)) {
      BulkFlow.run(network, 100 * 1_000_000L);
      try (BulkFlow ours = new BulkFlow(network, CONFIG, parts, MESSAGE_BYTES)) {
        BulkFlow.run(network, 300 * 1_000_000L);
        return report(part(network, ours, other, 600)) < 0.2;
      }
    }
  }

  /** What {@code one} has of both over so many milliseconds. */
  private static double part(SimulatedNetwork network, BulkFlow one, BulkFlow other, int ms) {
    one.mark();
    other.mark();
    BulkFlow.run(network, ms * 1_000_000L);
    return one.goodput() / (one.goodput() + other.goodput());
  }

  /** Fewer are in flight than one acknowledgement is for, so that all of them are held back. */
  private static boolean repeatsWhatIsAcknowledgedLate(ProtocolParts parts) {
    ProtocolConfig few = CONFIG.toBuilder().flight(3, CONFIG.queueSlackNs()).build();
    SimulatedNetwork network = new SimulatedNetwork(SEED, FaultPlan.calm(500_000), 2);
    try (BulkFlow flow = new BulkFlow(network, few, parts, MESSAGE_BYTES)) {
      flow.mark();
      BulkFlow.run(network, 300 * 1_000_000L);
      return report(flow.repeats()) > 0.1;
    }
  }

  private static boolean runsDryOnALongPath(ProtocolParts parts) {
    long rate = 64 * GBIT;
    ProtocolConfig far = CONFIG.toBuilder().window(1 << 15, 1024).build();
    SimulatedNetwork network = network(rate, 1_000_000, LONG_QUEUE, 0);
    try (BulkFlow flow = new BulkFlow(network, far, parts, MESSAGE_BYTES)) {
      BulkFlow.run(network, 30 * 1_000_000L);
      flow.mark();
      BulkFlow.run(network, 90 * 1_000_000L);
      return report(flow.goodput()) < 0.95 * rate;
    }
  }

  /** Of which so few are given that a lost one is soon waited for. */
  private static boolean waitsForClearToSends(ProtocolParts parts) {
    long rate = GBIT;
    double loss = 0.2;
    ProtocolConfig config = CONFIG.toBuilder().window(8192, 8).queueDepth(32).build();
    SimulatedNetwork network = network(rate, 1_000_000, LONG_QUEUE, loss);
    try (BulkFlow flow = new BulkFlow(network, config, new ProtocolParts(), parts, MESSAGE_BYTES)) {
      BulkFlow.run(network, 50_000_000);
      flow.mark();
      BulkFlow.run(network, 500_000_000);
      return report(flow.goodput()) < 0.75 * rate * (1 - loss);
    }
  }

  private static boolean writesAfterItsEnd(ProtocolParts parts) {
    return isFoundIn(script -> AbruptEnd.play(script, parts));
  }

  private static boolean writesIntoSlotsOfOthers(ProtocolParts parts) {
    return isFoundIn(script -> FlappingPath.play(script.seed(), parts));
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
