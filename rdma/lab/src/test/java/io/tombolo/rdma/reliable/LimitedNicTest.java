// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static io.tombolo.rdma.lab.simulated.SimulatedNic.NO_WINDOWS;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNull;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.lab.simulated.SimulatedNic;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * A stream between two NICs of which one has little of something, or nothing: it carries what the
 * NIC leaves of the link, and repeats nothing. Simulated time, one seed, 8 Gbit/s, 100 µs, packets
 * of 4 KiB; 32 slots of 256 KiB, and completions that come up to 20 µs late.
 */
public class LimitedNicTest {
  private static final long SEED = 5;
  private static final long RATE = 1_000_000_000;
  private static final long RTT_NS = 100_000;
  private static final long QUEUE_BYTES = 1 << 20;
  private static final int MESSAGE_BYTES = 1 << 20;
  private static final int CHUNK_BYTES = 4096;
  private static final int MANY = 4096;
  private static final FaultPlan PLAN =
      FaultPlan.calm(RTT_NS / 2).withRate(RATE, QUEUE_BYTES).toBuilder()
          .completions(20_000)
          .build();

  @DataProvider
  Object[][] nics() {
    return new Object[][] {
      {"all there is", nic(MANY, MANY, 0, 5_000, true), Shape.PLACES_REMOTELY, 0.9},
      {"64 bytes inline", nic(MANY, MANY, 64, 5_000, true), Shape.PLACES_REMOTELY, 0.9},
      {"96 bytes inline", nic(MANY, MANY, 96, 5_000, true), Shape.PLACES_REMOTELY, 0.9},
      {"128 bytes inline", nic(MANY, MANY, 128, 5_000, true), Shape.PLACES_REMOTELY, 0.9},
      {"no windows", nic(MANY, MANY, 0, NO_WINDOWS, true), Shape.PLACES_REMOTELY, 0.9},
      {"windows in 100 µs", nic(MANY, MANY, 0, 100_000, true), Shape.PLACES_REMOTELY, 0.9},
      {"windows in 1 ms", nic(MANY, MANY, 0, 1_000_000, true), Shape.PLACES_REMOTELY, 0.23},
      {"no UC", nic(MANY, MANY, 0, NO_WINDOWS, false), Shape.DATAGRAM, 0.9},
      {"32 sends", nic(32, MANY, 0, 5_000, true), Shape.PLACES_REMOTELY, 0.9},
      {"128 completions", nic(MANY, 128, 0, 5_000, true), Shape.PLACES_REMOTELY, 0.9},
      {"16 completions", nic(MANY, 16, 0, 5_000, true), Shape.PLACES_REMOTELY, 0.5},
    };
  }

  private static SimulatedNic nic(
      int sends, int completions, int inlineBytes, long bindNs, boolean hasUc) {
    return new SimulatedNic(sends, MANY, completions, inlineBytes, bindNs, hasUc);
  }

  @Test(dataProvider = "nics")
  public void shouldCarryWhatTheSendersNicLeaves(
      String name, SimulatedNic nic, Shape shape, double least) {
    // the receiver's binds windows, so slow ones are no matter of the sender's
    double expected = nic.bindNs() > RTT_NS ? 0.9 : least;
    SimulatedNic peers = nic(MANY, MANY, 0, 5_000, true);
    assertEquals(nic.shapeTo(peers), shape);
    check("from " + name, PLAN, nic, peers, expected);
  }

  @Test(dataProvider = "nics")
  public void shouldCarryWhatTheReceiversNicLeaves(
      String name, SimulatedNic nic, Shape shape, double least) {
    SimulatedNic peers = nic(MANY, MANY, 0, 5_000, true);
    assertEquals(peers.shapeTo(nic), shape);
    check("to " + name, PLAN, peers, nic, least);
  }

  /** Half of the renewals are refused, as registrations are where the kernel has no pages. */
  @Test
  public void shouldCarryThoughSlotsAreOftenRefusedAKey() {
    FaultPlan refusing = PLAN.toBuilder().fenceFailure(0.5).build();
    SimulatedNic nic = nic(MANY, MANY, 0, NO_WINDOWS, true);
    check("keys refused", refusing, nic, nic, 0.9);
  }

  private static void check(
      String name, FaultPlan plan, SimulatedNic from, SimulatedNic to, double least) {
    SimulatedNetwork network = new SimulatedNetwork(SEED, plan, 2);
    ProtocolConfig config = ProtocolConfig.of(from.shapeTo(to), CHUNK_BYTES);
    try (BulkFlow flow = new BulkFlow(network, config, MESSAGE_BYTES, from, to)) {
      BulkFlow.run(network, 200 * RTT_NS);
      flow.mark();
      BulkFlow.run(network, 400 * RTT_NS);
      assertNull(flow.failure(), name);
      double goodput = flow.goodput() / RATE;
      System.out.printf(
          "%s: goodput %.1f %%, repeats %.2f %%%n", name, 100 * goodput, 100 * flow.repeats());
      assertTrue(goodput >= least, name + ": goodput " + goodput);
      assertTrue(flow.repeats() <= 0.002, name + ": repeats " + flow.repeats());
    }
  }
}
