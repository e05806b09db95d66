// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertNull;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableMap;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.util.List;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Paths that change their round trip and rate under a flow, as routes do: to longer and slower
 * ones, to shorter and faster ones, and there and back. Simulated time, one seed, packets of 4 KiB,
 * a queue of 1 MB.
 */
public class ChangingPathTest {
  private static final long GBIT = 125_000_000;
  private static final long QUEUE_BYTES = 1_000_000;
  private static final int MESSAGE_BYTES = 4 << 20;
  private static final long SEED = 7;
  private static final ProtocolConfig CONFIG = ProtocolConfig.of(Shape.DATAGRAM, 4096);

  /** Otherwise one fabric, whose plays differ little from the others' here. */
  private static final boolean FULL = Boolean.getBoolean("tombolo.full");

  private static final String USUAL_FABRIC = "uc, ud";

  /** What is believed to be noise at most. */
  private static final ImmutableMap<String, ProtocolConfig> FABRICS =
      ImmutableMap.of(
          "4 µs",
          CONFIG,
          USUAL_FABRIC,
          CONFIG.toBuilder().flight(512, 200_000).build(),
          "udp",
          CONFIG.toBuilder().flight(512, 1_000_000).build());

  /** Round trips that a flow has to find a path's window, and those that count then. */
  private static final int SETTLING = 66;

  private static final int ROUNDS = 200;

  private static final Way USUAL = new Way("8 Gbit, 1 ms", 8 * GBIT, 1_000_000, 0.9);
  private static final Way LONG_SLOW = new Way("2 Gbit, 3 ms", 2 * GBIT, 3_000_000, 0.9);
  private static final Way SHORT_FAST = new Way("25 Gbit, 200 µs", 25 * GBIT, 200_000, 0.9);
  private static final Way SHORT = new Way("8 Gbit, 200 µs", 8 * GBIT, 200_000, 0.9);
  private static final Way LONG = new Way("8 Gbit, 2 ms", 8 * GBIT, 2_000_000, 0.9);
  private static final Way SLOW = new Way("2 Gbit, 1 ms", 2 * GBIT, 1_000_000, 0.9);

  /** The usual one, after one that was five times shorter: the window is still growing. */
  private static final Way LONG_AGAIN = new Way("8 Gbit, 1 ms again", 8 * GBIT, 1_000_000, 0.35);

  private record Way(String name, long rate, long rttNs, double least) {
    FaultPlan plan() {
      return FaultPlan.calm(rttNs / 2).withRate(rate, QUEUE_BYTES);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  @DataProvider
  Object[][] changes() {
    List<List<Way>> changes =
        List.of(
            List.of(USUAL, LONG_SLOW),
            List.of(USUAL, SHORT_FAST),
            List.of(LONG_SLOW, USUAL),
            List.of(LONG_SLOW, SHORT_FAST),
            List.of(USUAL, LONG_SLOW, USUAL, LONG_SLOW),
            List.of(USUAL, SHORT_FAST, LONG_AGAIN, SHORT_FAST),
            List.of(USUAL, SLOW, USUAL),
            List.of(USUAL, LONG, USUAL),
            List.of(USUAL, SHORT, LONG_AGAIN));
    return FABRICS.keySet().stream()
        .filter(fabric -> FULL || fabric.equals(USUAL_FABRIC))
        .flatMap(fabric -> changes.stream().map(ways -> new Object[] {fabric, ways}))
        .toArray(Object[][]::new);
  }

  @DataProvider
  Object[][] lossyWays() {
    return new Object[][] {
      {LONG_SLOW, 0.02, 0, 0.85},
      {LONG_SLOW, 0.05, 0, 0.85},
      {LONG, 0.02, 0, 0.85},
      {LONG, 0.05, 0, 0.85},
      {LONG, 0.02, 100_000, 0.7},
    };
  }

  /**
   * What a longer path loses by chance is not that of a queue that others fill, also where its
   * round trip jitters.
   */
  @Test(dataProvider = "lossyWays")
  public void shouldFollowAPathThatBecomesLongerAndLossy(
      Way way, double loss, long jitterNs, double least) {
    SimulatedNetwork network = new SimulatedNetwork(SEED, USUAL.plan(), 2);
    try (BulkFlow flow = new BulkFlow(network, FABRICS.get(USUAL_FABRIC), MESSAGE_BYTES)) {
      BulkFlow.run(network, 200 * USUAL.rttNs());
      double late = jitterNs > 0 ? 1 : 0;
      network.become(way.plan().withLoss(loss).toBuilder().reorder(late, jitterNs).build());
      BulkFlow.run(network, 200 * way.rttNs());
      flow.mark();
      BulkFlow.run(network, ROUNDS * way.rttNs());
      assertNull(flow.failure());
      double goodput = flow.goodput() / (way.rate() * (1 - loss));
      System.out.printf("%s, loss %.2f, jitter %d: %.1f %%%n", way, loss, jitterNs, 100 * goodput);
      assertTrue(goodput >= least, way + ": goodput " + goodput);
    }
  }

  /** On each path in turn, beside the first, which the flow begins on. */
  @Test(dataProvider = "changes")
  public void shouldFollowAPathThatChanges(String fabric, List<Way> ways) {
    SimulatedNetwork network = new SimulatedNetwork(SEED, ways.get(0).plan(), 2);
    try (BulkFlow flow = new BulkFlow(network, FABRICS.get(fabric), MESSAGE_BYTES)) {
      BulkFlow.run(network, 100 * ways.get(0).rttNs());
      for (Way way : ways.subList(1, ways.size())) {
        network.become(way.plan());
        flow.mark();
        BulkFlow.run(network, SETTLING * way.rttNs());
        double meanwhile = flow.goodput() / way.rate();
        double repeats = flow.repeats();
        flow.mark();
        BulkFlow.run(network, ROUNDS * way.rttNs());
        assertNull(flow.failure());
        double goodput = flow.goodput() / way.rate();
        System.out.printf(
            "%s, %s: then %s: first %.1f %%, repeats %.2f %%; then %.1f %%, %.2f %%, window %d%n",
            fabric,
            ways,
            way,
            100 * meanwhile,
            100 * repeats,
            100 * goodput,
            100 * flow.repeats(),
            flow.windowChunks());
        assertTrue(repeats <= 0.15, way + ": repeats at first " + repeats);
        assertTrue(goodput >= way.least(), way + ": goodput " + goodput);
        assertTrue(flow.repeats() <= 0.002, way + ": repeats " + flow.repeats());
      }
    }
  }
}
