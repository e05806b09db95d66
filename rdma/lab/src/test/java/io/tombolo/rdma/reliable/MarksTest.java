// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.faulty.MarkingCurve;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Flows of ours whose queue is too short for its delay to tell, and marks before it overflows
 * (ECN). Simulated time, one seed, packets of 4 KiB.
 */
public class MarksTest {
  private static final long GBIT = 125_000_000;
  private static final int MESSAGE_BYTES = 4 << 20;
  private static final ProtocolConfig CONFIG = ProtocolConfig.of(Shape.DATAGRAM, 4096);
  private static final MarkingCurve RED = new MarkingCurve(24 << 10, 100 << 10, 0.3);
  private static final MarkingCurve STEEP = new MarkingCurve(20_000, 80_000, 0.5);
  private static final MarkingCurve THRESHOLD = MarkingCurve.threshold(48 << 10);

  @DataProvider
  Object[][] queues() {
    return new Object[][] {
      {"one, 25 Gbit, 20 µs, 128 KiB, a threshold", 1, 25 * GBIT, 20_000, 128 << 10, THRESHOLD},
      {"4, 25 Gbit, 20 µs, 128 KiB, RED", 4, 25 * GBIT, 20_000, 128 << 10, RED},
      {"8, 25 Gbit, 20 µs, 128 KiB, RED", 8, 25 * GBIT, 20_000, 128 << 10, RED},
      {"4, 8 Gbit, 1 ms, 100 KB, RED", 4, 8 * GBIT, 1_000_000, 100_000, STEEP},
    };
  }

  @Test(dataProvider = "queues")
  public void shouldShareAShortQueueThatMarksWithoutLoss(
      String path, int flows, long rate, long rttNs, long queueBytes, MarkingCurve marking) {
    FaultPlan plan = FaultPlan.calm(rttNs / 2).withRate(rate, queueBytes);
    SimulatedNetwork network =
        new SimulatedNetwork(7, plan.toBuilder().marking(marking).build(), 2);
    List<BulkFlow> all = new ArrayList<>();
    for (int i = 0; i < flows; i++) {
      all.add(new BulkFlow(network, CONFIG, MESSAGE_BYTES));
      BulkFlow.run(network, 50 * rttNs);
    }
    BulkFlow.run(network, 200 * rttNs);
    all.forEach(BulkFlow::mark);
    BulkFlow.run(network, 200 * rttNs);
    double goodput = all.stream().mapToDouble(BulkFlow::goodput).sum();
    double part = all.get(0).goodput() / goodput;
    double repeats = all.stream().mapToDouble(BulkFlow::repeats).max().orElseThrow();
    System.out.printf(
        "%s: the first one's part %.3f, all %.1f %%, repeats %.2f %%%n",
        path, part, 100 * goodput / rate, 100 * repeats);
    assertTrue(goodput >= 0.9 * rate, "all have " + goodput / rate);
    assertTrue(repeats <= 0.002, "repeats " + repeats);
    assertEquals(part, 1.0 / flows, 0.25 / flows, "the first one's part");
    all.forEach(BulkFlow::close);
  }
}
