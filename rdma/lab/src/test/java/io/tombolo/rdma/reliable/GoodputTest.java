// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertNull;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedGoBackN;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Goodput over simulated links of 1 ms round trip in percent of the optimum (1 − p) · rate, p per
 * packet of 4 KiB, headers included in the rate; ours and go-back-N.
 */
public class GoodputTest {
  private static final int CHUNK_BYTES = 4096;
  private static final long RTT_NS = 1_000_000;
  private static final int MESSAGE_BYTES = 4 << 20;
  private static final ProtocolConfig CONFIG = ProtocolConfig.of(Shape.DATAGRAM, CHUNK_BYTES);

  /** Room for as many round trips as a chunk has to be sent on the longest path. */
  private static final ProtocolConfig LONG =
      CONFIG.toBuilder().window(1 << 16, 1024).flight(1 << 14, CONFIG.queueSlackNs()).build();

  /** Packets that go-back-N loses meanwhile, each of which costs it a round trip. */
  private static final double GO_BACK_N_LOSSES = 200;

  @DataProvider
  Object[][] losses() {
    return new Object[][] {
      {64_000, 0.0, 95.0},
      {64_000, 0.01, 90.0},
      {64_000, 0.05, 85.0},
      {64_000, 0.2, 75.0},
      {1_000_000, 0.0, 97.0},
      {1_000_000, 0.01, 95.0},
      {1_000_000, 0.05, 90.0},
      {1_000_000, 0.2, 75.0},
      {16_000_000, 0.0, 95.0},
      {16_000_000, 0.01, 95.0},
      {16_000_000, 0.05, 90.0},
      {16_000_000, 0.2, 70.0},
    };
  }

  @Test(dataProvider = "losses")
  public void shouldStayCloseToTheOptimumUnderLoss(int bdpBytes, double loss, double leastPercent) {
    long rate = bdpBytes * (1_000_000_000 / RTT_NS);
    FaultPlan plan =
        FaultPlan.calm(RTT_NS / 2).withRate(rate, Math.max(16 << 20, 2 * bdpBytes)).withLoss(loss);
    double optimum = rate * (1 - loss);
    double percent = measure(plan, bdpBytes) * 100 / optimum;
    double goBackN = measureGoBackN(plan, bdpBytes) * 100 / optimum;
    System.out.printf(
        "BDP %d, goodput at %.0f %% loss: %.1f %% of the optimum; go-back-N: %.1f %%%n",
        bdpBytes, loss * 100, percent, goBackN);
    assertTrue(percent >= leastPercent, percent + " % at loss " + loss);
  }

  /** Its window is 1.2 times the BDP: the more, the more it repeats. */
  private static double measureGoBackN(FaultPlan plan, int bdpBytes) {
    SimulatedNetwork network = new SimulatedNetwork(42, plan, 2);
    int window = (int) (bdpBytes * 12L / 10 / CHUNK_BYTES);
    double loss = plan.lossProbability();
    long chunks = loss == 0 ? 32L * window : (long) (GO_BACK_N_LOSSES / loss);
    SimulatedGoBackN.run(network, CHUNK_BYTES, window, 4 * RTT_NS, chunks);
    return chunks * 1e9 * CHUNK_BYTES / network.nowNs();
  }

  /** Payload bytes per simulated second, after a warm-up. */
  private static double measure(FaultPlan plan, int bdpBytes) {
    SimulatedNetwork network = new SimulatedNetwork(42, plan, 2);
    boolean isLong = bdpBytes > 1_000_000;
    int rounds = isLong ? 150 : 200;
    try (BulkFlow flow = new BulkFlow(network, isLong ? LONG : CONFIG, MESSAGE_BYTES)) {
      BulkFlow.run(network, rounds / 3 * RTT_NS);
      flow.mark();
      BulkFlow.run(network, rounds * RTT_NS);
      assertNull(flow.failure());
      return flow.goodput();
    }
  }
}
