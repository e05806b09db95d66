// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.Channel;
import io.tombolo.rdma.ProtocolCounters;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.lab.simulated.SimulatedGoBackN;
import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Goodput over a simulated link of 1 GB/s and 1 ms round trip (BDP 1 MB) in percent of the optimum
 * (1 − p) · rate, p per packet of 4 KiB, headers included in the rate.
 */
public class GoodputTest {
  private static final int CHUNK_BYTES = 4096;
  private static final long RATE = 1_000_000_000;
  private static final long ONE_WAY_NS = 500_000;

  /** The go-back-N sender's window, 1.2 times the BDP: the more, the more it repeats. */
  private static final int WINDOW_CHUNKS = 300;

  private static final long GO_BACK_N_CHUNKS = 8192;
  private static final int MESSAGE_BYTES = 4 << 20;
  private static final int WARM_UP = 8;
  private static final int MESSAGES = 24;

  @DataProvider
  Object[][] losses() {
    return new Object[][] {{0.0, 97.0}, {0.01, 95.0}, {0.05, 90.0}};
  }

  @Test(dataProvider = "losses")
  public void shouldStayCloseToTheOptimumUnderLoss(double loss, double leastPercent) {
    FaultPlan plan = FaultPlan.calm(ONE_WAY_NS).withRate(RATE, 16 << 20).withLoss(loss);
    double optimum = RATE * (1 - loss);
    double percent = measure(plan) * 100 / optimum;
    double goBackN = measureGoBackN(plan) * 100 / optimum;
    System.out.printf(
        "goodput at %.0f %% loss: %.1f %% of the optimum; go-back-N: %.1f %%%n",
        loss * 100, percent, goBackN);
    assertTrue(percent >= leastPercent, percent + " % at loss " + loss);
  }

  private static double measureGoBackN(FaultPlan plan) {
    SimulatedNetwork network = new SimulatedNetwork(42, plan, 2);
    SimulatedGoBackN.run(network, CHUNK_BYTES, WINDOW_CHUNKS, 8 * ONE_WAY_NS, GO_BACK_N_CHUNKS);
    return GO_BACK_N_CHUNKS * 1e9 * CHUNK_BYTES / network.nowNs();
  }

  /** Payload bytes per simulated second, after a warm-up. */
  private static double measure(FaultPlan plan) {
    SimulatedNetwork network = new SimulatedNetwork(42, plan, 2);
    ProtocolConfig config = ProtocolConfig.of(ProtocolConfig.Shape.DATAGRAM, CHUNK_BYTES);
    try (SimulatedMemory memory = new SimulatedMemory(MESSAGE_BYTES);
        SimulatedEndpoint sender = new SimulatedEndpoint(network, 0, null, 8192);
        SimulatedEndpoint receiver = new SimulatedEndpoint(network, 1, null, 8192)) {
      ReliableChannel from =
          new ReliableChannel(new ChannelId(1, 0, 0), config, sender, null, network.clockNs(0));
      ReliableChannel to =
          new ReliableChannel(new ChannelId(0, 0, 0), config, receiver, null, network.clockNs(1));
      Received received = new Received(network, to.counters());
      sender.run(from, receiver, received);
      receiver.run(to, sender, received);
      for (int message = 0; message < MESSAGES; message++) {
        assertTrue(to.receive(message, memory, 0, MESSAGE_BYTES));
        assertTrue(from.send(message, memory, 0, MESSAGE_BYTES));
      }
      while (received.messages < MESSAGES && network.step()) {}
      assertEquals(received.messages, MESSAGES);
      return received.goodput();
    }
  }

  private static final class Received implements Channel.Completions {
    private final SimulatedNetwork network;
    private final ProtocolCounters counters;
    private int messages;
    private long warmNs;
    private long warmBytes;

    Received(SimulatedNetwork network, ProtocolCounters counters) {
      this.network = network;
      this.counters = counters;
    }

    /** Payload bytes per second since the warm-up, in order or not. */
    double goodput() {
      long bytes = counters.payloadBytesReceived - warmBytes;
      return bytes * 1e9 / (network.nowNs() - warmNs);
    }

    @Override
    public void onSent(long tag, long sizeBytes) {}

    @Override
    public void onReceived(long tag, long sizeBytes) {
      messages++;
      if (messages == WARM_UP) {
        warmNs = network.nowNs();
        warmBytes = counters.payloadBytesReceived;
      }
    }
  }
}
