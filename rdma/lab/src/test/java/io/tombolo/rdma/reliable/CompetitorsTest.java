// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * A flow of ours beside one that fills the queue until it overflows, as Reno and CUBIC do. Who goes
 * by delay has little of the link then, as docs/protocol.md says: here it is held that neither
 * comes to a standstill. Simulated time, one seed, packets of 4 KiB.
 */
public class CompetitorsTest {
  private static final long RATE = 1_000_000_000;
  private static final long RTT_NS = 1_000_000;
  private static final int MESSAGE_BYTES = 4 << 20;
  private static final ProtocolConfig CONFIG = ProtocolConfig.of(Shape.DATAGRAM, 4096);
  private static final long SEED = 11;

  /** Others that take loss, and only loss, for congestion. */
  private enum Rival {
    RENO {
      @Override
      CongestionControl control(int most) {
        return new LossCongestionControl(most);
      }
    },
    CUBIC {
      @Override
      CongestionControl control(int most) {
        return new CubicCongestionControl(most);
      }
    };

    abstract CongestionControl control(int most);

    BulkFlow begin(SimulatedNetwork network) {
      ProtocolParts parts =
          new ProtocolParts() {
            @Override
            CongestionControl congestionControl(ProtocolConfig config) {
              return control(config.maxInFlightChunks());
            }
          };
      return new BulkFlow(network, CONFIG, parts, MESSAGE_BYTES);
    }
  }

  @DataProvider
  Object[][] rivals() {
    return new Object[][] {
      {Rival.RENO, 250_000, true},
      {Rival.RENO, 1_000_000, true},
      {Rival.RENO, 1_000_000, false},
      {Rival.RENO, 4_000_000, true},
      {Rival.CUBIC, 250_000, true},
      {Rival.CUBIC, 1_000_000, true},
      {Rival.CUBIC, 1_000_000, false},
      {Rival.CUBIC, 4_000_000, true},
    };
  }

  @Test(dataProvider = "rivals")
  public void shouldGoOnBesideThoseWhoFillTheQueue(
      Rival rival, long queueBytes, boolean weAreFirst) {
    FaultPlan plan = FaultPlan.calm(RTT_NS / 2).withRate(RATE, queueBytes);
    SimulatedNetwork network = new SimulatedNetwork(SEED, plan, 2);
    try (BulkFlow first = weAreFirst ? ours(network) : rival.begin(network)) {
      BulkFlow.run(network, 100 * RTT_NS);
      try (BulkFlow second = weAreFirst ? rival.begin(network) : ours(network)) {
        BulkFlow.run(network, 300 * RTT_NS);
        first.mark();
        second.mark();
        BulkFlow.run(network, 1000 * RTT_NS);
        double both = first.goodput() + second.goodput();
        double part = (weAreFirst ? first : second).goodput() / both;
        System.out.printf(
            "%s, queue %d, %s: our part %.1f %%, both %.1f %%%n",
            rival, queueBytes, weAreFirst ? "we first" : "it first", 100 * part, 100 * both / RATE);
        assertTrue(part >= 0.05 && part <= 0.95, "our part is " + part);
      }
    }
  }

  private static BulkFlow ours(SimulatedNetwork network) {
    return new BulkFlow(network, CONFIG, MESSAGE_BYTES);
  }
}
