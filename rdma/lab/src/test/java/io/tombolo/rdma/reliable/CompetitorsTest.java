// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Flows of ours beside one that fills the queue until it overflows, as Reno and CUBIC do. Each has
 * at least half of what would be fair, except where the queue is so short that it is often empty,
 * and beside a CUBIC that came first to a queue of 4 BDP: there we have 21 % of the link, and no
 * row here. Simulated time, one seed, packets of 4 KiB.
 */
public class CompetitorsTest {
  private static final long RATE = 1_000_000_000;
  private static final long RTT_NS = 1_000_000;
  private static final int BDP = 1_000_000;
  private static final int CHUNK_BYTES = 4096;
  private static final int MESSAGE_BYTES = 4 << 20;
  private static final ProtocolConfig CONFIG = ProtocolConfig.of(Shape.DATAGRAM, CHUNK_BYTES);
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
      {Rival.RENO, 250_000, true, 300, 0.15},
      {Rival.RENO, 1_000_000, true, 300, 0.25},
      {Rival.RENO, 1_000_000, false, 300, 0.25},
      {Rival.RENO, 4_000_000, false, 1300, 0.25},
      {Rival.CUBIC, 250_000, true, 300, 0.15},
      {Rival.CUBIC, 1_000_000, true, 300, 0.25},
      {Rival.CUBIC, 1_000_000, false, 300, 0.25},
      {Rival.CUBIC, 4_000_000, true, 1300, 0.25},
    };
  }

  /** From {@code settling} round trips after the second has come on, for a thousand. */
  @Test(dataProvider = "rivals")
  public void shouldShareWithThoseWhoFillTheQueue(
      Rival rival, long queueBytes, boolean weAreFirst, int settling, double least) {
    SimulatedNetwork network = network(queueBytes);
    try (BulkFlow first = weAreFirst ? ours(network) : rival.begin(network)) {
      BulkFlow.run(network, 100 * RTT_NS);
      try (BulkFlow second = weAreFirst ? rival.begin(network) : ours(network)) {
        BulkFlow.run(network, settling * RTT_NS);
        first.mark();
        second.mark();
        BulkFlow.run(network, 1000 * RTT_NS);
        double both = first.goodput() + second.goodput();
        double part = (weAreFirst ? first : second).goodput() / both;
        System.out.printf(
            "%s, queue %d, %s: our part %.1f %%, both %.1f %%%n",
            rival, queueBytes, weAreFirst ? "we first" : "it first", 100 * part, 100 * both / RATE);
        assertTrue(both >= 0.9 * RATE, "both have " + both / RATE);
        assertTrue(part >= least && part <= 0.75, "our part is " + part);
      }
    }
  }

  /** Of whom each has a window of 45 chunks when the queue overflows. */
  @Test
  public void shouldShareWithManyWhoFillTheQueue() {
    SimulatedNetwork network = network(BDP);
    List<BulkFlow> all = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      all.add(Rival.RENO.begin(network));
      BulkFlow.run(network, 100 * RTT_NS);
    }
    BulkFlow our = ours(network);
    all.add(our);
    BulkFlow.run(network, 1000 * RTT_NS);
    all.forEach(BulkFlow::mark);
    BulkFlow.run(network, 1000 * RTT_NS);
    double sum = all.stream().mapToDouble(BulkFlow::goodput).sum();
    double part = our.goodput() * all.size() / sum;
    System.out.printf("beside 10 Renos: %.2f of what is fair%n", part);
    assertTrue(sum >= 0.9 * RATE, "all have " + sum / RATE);
    assertTrue(part >= 0.75 && part <= 1.5, "our part is " + part);
    all.forEach(BulkFlow::close);
  }

  @DataProvider
  Object[][] numbers() {
    return new Object[][] {{2}, {8}};
  }

  /** Who took the others for rivals would fill the queue, too, which here holds 16 BDPs. */
  @Test(dataProvider = "numbers")
  public void shouldNotTakeFlowsOfOursForRivals(int flows) {
    SimulatedNetwork network = network(16 * BDP);
    List<BulkFlow> ours = new ArrayList<>();
    for (int i = 0; i < flows; i++) {
      ours.add(ours(network));
      BulkFlow.run(network, 20 * RTT_NS);
    }
    BulkFlow.run(network, 800 * RTT_NS);
    int chunks = chunks(ours);
    System.out.printf("%d flows of ours: %d chunks in all%n", flows, chunks);
    assertTrue(chunks <= BDP / CHUNK_BYTES + 10 * flows, chunks + " chunks");
    ours.forEach(BulkFlow::close);
  }

  /** As they did before: no queue stands that is longer than a few chunks of each. */
  @Test
  public void shouldGoByDelayAgainWhenTheRivalIsGone() {
    SimulatedNetwork network = network(BDP);
    try (BulkFlow one = ours(network);
        BulkFlow other = ours(network);
        BulkFlow rival = Rival.RENO.begin(network)) {
      BulkFlow.run(network, 1000 * RTT_NS);
      rival.stop();
      BulkFlow.run(network, 1700 * RTT_NS);
      one.mark();
      other.mark();
      int most = 0;
      for (int i = 0; i < 30; i++) {
        BulkFlow.run(network, 10 * RTT_NS);
        most = Math.max(most, chunks(List.of(one, other)));
      }
      double both = one.goodput() + other.goodput();
      double part = one.goodput() / both;
      System.out.printf(
          "the rival gone: %d chunks at most, one has %.1f %%, both %.1f %%%n",
          most, 100 * part, 100 * both / RATE);
      assertTrue(most <= BDP / CHUNK_BYTES + 50, most + " chunks");
      assertTrue(both >= 0.9 * RATE, "both have " + both / RATE);
      assertEquals(part, 0.5, 0.05);
    }
  }

  private static int chunks(List<BulkFlow> flows) {
    return flows.stream().mapToInt(BulkFlow::windowChunks).sum();
  }

  private static SimulatedNetwork network(long queueBytes) {
    return new SimulatedNetwork(SEED, FaultPlan.calm(RTT_NS / 2).withRate(RATE, queueBytes), 2);
  }

  private static BulkFlow ours(SimulatedNetwork network) {
    return new BulkFlow(network, CONFIG, MESSAGE_BYTES);
  }
}
