// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNull;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ObjectArrays;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.lab.simulated.SimulatedTraffic;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Paths that are not ours: short queues, heavy loss, others who take the link, processes that
 * seldom have their turn. Simulated time, one seed, packets of 4 KiB; figures are parts of (1 − p)
 * · rate, headers included in the rate.
 */
public class UnkindNetworkTest {
  private static final long GBIT = 125_000_000;
  private static final long LONG_QUEUE = 16 << 20;
  private static final int MESSAGE_BYTES = 4 << 20;
  private static final ProtocolConfig CONFIG = ProtocolConfig.of(Shape.DATAGRAM, 4096);
  private static final long SEED = 7;

  /** What the fabrics believe to be noise at most: nothing here is, whatever they would allow. */
  private static final ImmutableMap<String, ProtocolConfig> FABRICS =
      ImmutableMap.of(
          "4 µs", CONFIG,
          "uc, ud", CONFIG.toBuilder().flight(512, 200_000).build(),
          "udp", CONFIG.toBuilder().flight(512, 1_000_000).build());

  private static final String ONE_BDP = "8 Gbit, 1 ms, 1 BDP";
  private static final String MANY_BDPS = "8 Gbit, 1 ms, 16 MB";

  /** The longest play is for {@code mvn -Pdeep}, */
  private static final boolean DEEP = Boolean.getBoolean("tombolo.deep");

  /** and long ones are for CI, too. */
  private static final boolean FULL = DEEP || Boolean.getBoolean("tombolo.full");

  /** In which who drifts has drifted beyond {@link #MOST_CHUNKS}. */
  static final int MINUTE = 60;

  /** What a path that holds 1.2 chunks, and its queue, may have; 9 are seen in an hour. */
  static final int MOST_CHUNKS = 12;

  /** As much as may be under way at all. */
  private static final ProtocolConfig LONG =
      CONFIG.toBuilder().window(1 << 16, 1024).flight(1 << 14, CONFIG.queueSlackNs()).build();

  @DataProvider
  Object[][] shortQueues() {
    return overEach(
        new Object[][] {
          {"25 Gbit, 20 µs, 1/2 BDP", 25 * GBIT, 20_000, 31_250, 0.9, 0.02},
          {"25 Gbit, 20 µs, 1 BDP", 25 * GBIT, 20_000, 62_500, 0.9, 0.02},
          {"25 Gbit, 20 µs, 128 KiB", 25 * GBIT, 20_000, 128 << 10, 0.9, 0.02},
          {"25 Gbit, 20 µs, 512 KiB", 25 * GBIT, 20_000, 512 << 10, 0.9, 0.01},
          {"8 Gbit, 1 ms, 1/10 BDP", 8 * GBIT, 1_000_000, 100_000, 0.9, 0.02},
          {"8 Gbit, 1 ms, 1/4 BDP", 8 * GBIT, 1_000_000, 250_000, 0.9, 0.02},
          {"8 Gbit, 1 ms, 2 BDP", 8 * GBIT, 1_000_000, 2_000_000, 0.9, 0.01},
          {"200 Mbit, 3 ms, 48 KiB", GBIT / 5, 3_000_000, 48 << 10, 0.9, 0.02},
        });
  }

  @Test(dataProvider = "shortQueues")
  public void shouldKeepCarryingWhereQueuesAreShort(
      String fabric,
      String path,
      long rate,
      long rttNs,
      long queueBytes,
      double least,
      double mostRepeats) {
    SimulatedNetwork network = network(rate, rttNs, queueBytes, 0);
    try (BulkFlow flow = new BulkFlow(network, FABRICS.get(fabric), MESSAGE_BYTES)) {
      double goodput = measure(network, flow, rttNs, 300) / rate;
      report(fabric + ", " + path, goodput, flow);
      assertTrue(goodput >= least, path + ": goodput " + goodput);
      assertTrue(flow.repeats() <= mostRepeats, path + ": repeats " + flow.repeats());
    }
  }

  @DataProvider
  Object[][] losses() {
    return unlessLong(allLosses(), row -> row[0].equals(16_000_000));
  }

  private static Object[][] allLosses() {
    return new Object[][] {
      {64_000, 0.0, 1, 0.95},
      {64_000, 0.01, 1, 0.9},
      {64_000, 0.05, 1, 0.85},
      {64_000, 0.2, 1, 0.75},
      {64_000, 0.3, 1, 0.75},
      {1_000_000, 0.0, 1, 0.97},
      {1_000_000, 0.01, 1, 0.95},
      {1_000_000, 0.05, 1, 0.85},
      {1_000_000, 0.05, 8, 0.75},
      {1_000_000, 0.2, 1, 0.75},
      {16_000_000, 0.0, 1, 0.95},
      {16_000_000, 0.01, 1, 0.95},
      {16_000_000, 0.05, 1, 0.9},
      {16_000_000, 0.2, 1, 0.75},
    };
  }

  @Test(dataProvider = "losses")
  public void shouldKeepCarryingWhenChanceTakesPackets(
      int bdpBytes, double loss, int burst, double least) {
    long rate = bdpBytes * 1000L;
    FaultPlan plan =
        path(rate, 1_000_000, LONG_QUEUE).withLoss(loss).toBuilder().burst(burst).build();
    SimulatedNetwork network = new SimulatedNetwork(SEED, plan, 2);
    int rounds = bdpBytes > 1_000_000 ? 60 : 200;
    ProtocolConfig config = bdpBytes > 1_000_000 ? LONG : CONFIG;
    try (BulkFlow flow = new BulkFlow(network, config, MESSAGE_BYTES)) {
      double goodput = measure(network, flow, 1_000_000, rounds) / (rate * (1 - loss));
      report("BDP %d, loss %.2f in bursts of %d".formatted(bdpBytes, loss, burst), goodput, flow);
      assertTrue(goodput >= least, "goodput " + goodput);
    }
  }

  @DataProvider
  Object[][] turns() {
    return new Object[][] {
      {"turns of 1 ms, pauses of 1 ms, 10 µs", 1_000_000, 1_000_000, 4096, 2e8},
      {"turns of 1 ms, pauses of 4 ms, 10 µs", 1_000_000, 4_000_000, 4096, 3e7},
      {"turns of 4 ms, pauses of 4 ms, 10 µs", 4_000_000, 4_000_000, 4096, 2e8},
      {"turns of 1 ms, pauses of 4 ms, 10 µs, chunks of 64", 1_000_000, 4_000_000, 64, 2e6},
    };
  }

  /** The path takes microseconds, and who is at its ends milliseconds to have a turn. */
  @Test(dataProvider = "turns")
  public void shouldKeepCarryingWhenProcessesSeldomHaveTheirTurn(
      String name, long turnNs, long pauseNs, int chunkBytes, double leastBytesPerSecond) {
    FaultPlan plan = path(GBIT * 8, 10_000, 200_000).toBuilder().turns(turnNs, pauseNs).build();
    SimulatedNetwork network = new SimulatedNetwork(SEED, plan, 2);
    try (BulkFlow flow = new BulkFlow(network, asOverUdp(chunkBytes), 1 << 18)) {
      double goodput = measure(network, flow, 1_000_000, 600);
      System.out.printf(
          "%s: %.1f MB/s, repeats %.2f %%, window %d%n",
          name, goodput / 1e6, 100 * flow.repeats(), flow.windowChunks());
      assertTrue(goodput >= leastBytesPerSecond, "goodput " + goodput);
    }
  }

  /** As {@code UdpSizing} has it where a receive buffer holds 200 kB. */
  private static ProtocolConfig asOverUdp(int chunkBytes) {
    int inFlight = chunkBytes < 1024 ? 16 : 32;
    return ProtocolConfig.of(Shape.DATAGRAM, chunkBytes).toBuilder()
        .window(8 * inFlight, 512)
        .flight(inFlight, 1_000_000)
        .queueDepth(16)
        .times(2_000_000, 1_000_000_000, 10_000_000_000L)
        .build();
  }

  @Test
  public void shouldKeepCarryingWhenPacketsAreSprayed() {
    long rate = 8 * GBIT;
    FaultPlan plan = path(rate, 1_000_000, LONG_QUEUE).toBuilder().spray(4, 1_000_000).build();
    SimulatedNetwork network = new SimulatedNetwork(SEED, plan, 2);
    ProtocolConfig config = CONFIG.toBuilder().spraying().build();
    try (BulkFlow flow = new BulkFlow(network, config, MESSAGE_BYTES)) {
      double goodput = measure(network, flow, 2_000_000, 200) / rate;
      report("4 paths, the longest twice as long", goodput, flow);
      assertTrue(goodput >= 0.8, "goodput " + goodput);
    }
  }

  /**
   * Where round trips differ by a fifth, small windows see no path without jitter: what bursts take
   * of them still is chance.
   */
  @Test
  public void shouldKeepCarryingWhenRoundTripsDifferAndChanceTakesBursts() {
    long rate = 8 * GBIT;
    FaultPlan plan =
        path(rate, 1_000_000, LONG_QUEUE).withLoss(0.05).toBuilder()
            .burst(8)
            .reorder(1, 200_000)
            .build();
    SimulatedNetwork network = new SimulatedNetwork(SEED, plan, 2);
    try (BulkFlow flow = new BulkFlow(network, CONFIG, MESSAGE_BYTES)) {
      double goodput = measure(network, flow, 1_000_000, 600) / (rate * 0.95);
      report("jitter of 200 µs, loss 0.05 in bursts of 8", goodput, flow);
      assertTrue(goodput >= 0.15, "goodput " + goodput);
    }
  }

  /** The last chunk of each message is of 64 bytes: no other takes as little time. */
  @Test
  public void shouldKeepCarryingMessagesThatEndInAShortChunkWhenChanceTakesPackets() {
    long rate = GBIT;
    SimulatedNetwork network = network(rate, 100_000, LONG_QUEUE, 0.05);
    try (BulkFlow flow = new BulkFlow(network, CONFIG, (1 << 18) + 64)) {
      double goodput = measure(network, flow, 100_000, 1600) / (rate * 0.95);
      report("messages that end in 64 bytes, loss 0.05", goodput, flow);
      assertTrue(goodput >= 0.85, "goodput " + goodput);
    }
  }

  /** Were the detector to hear nothing, the timeout would still repair more than probes do. */
  @Test
  public void shouldNotStandStillOnProbesThoughTheDetectorIsBlind() {
    ProtocolParts blind =
        new ProtocolParts() {
          @Override
          LossDetector lossDetector(ProtocolConfig config) {
            return new LossDetector(config.packetThreshold()) {
              @Override
              void onDelivered(long transmissionId) {}
            };
          }
        };
    long rate = 8 * GBIT;
    SimulatedNetwork network = network(rate, 1_000_000, LONG_QUEUE, 0.2);
    try (BulkFlow flow = new BulkFlow(network, CONFIG, blind, MESSAGE_BYTES)) {
      double goodput = measure(network, flow, 1_000_000, 900) / rate;
      report("a blind detector, loss 0.2", goodput, flow);
      assertTrue(goodput >= 0.15, "goodput " + goodput);
    }
  }

  @DataProvider
  Object[][] shared() {
    return overEach(
        unlessLong(allShared(), row -> row[0].equals(ONE_BDP) || row[0].equals(MANY_BDPS)));
  }

  private static Object[][] allShared() {
    return new Object[][] {
      {ONE_BDP, 8 * GBIT, 1_000_000, 1_000_000, 200},
      {"8 Gbit, 1 ms, 1/2 BDP", 8 * GBIT, 1_000_000, 500_000, 200},
      {"8 Gbit, 1 ms, 1/2 BDP, together", 8 * GBIT, 1_000_000, 500_000, 0},
      {MANY_BDPS, 8 * GBIT, 1_000_000, LONG_QUEUE, 200},
      {"25 Gbit, 20 µs, 128 KiB", 25 * GBIT, 20_000, 128 << 10, 200},
      {"25 Gbit, 20 µs, 128 KiB, together", 25 * GBIT, 20_000, 128 << 10, 0},
    };
  }

  /** Who comes {@code lateRounds} round trips later, which may be none. */
  @Test(dataProvider = "shared")
  public void shouldShareTheLinkWithALateComer(
      String fabric, String path, long rate, long rttNs, long queueBytes, int lateRounds) {
    SimulatedNetwork network = network(rate, rttNs, queueBytes, 0);
    ProtocolConfig config = FABRICS.get(fabric);
    try (BulkFlow old = new BulkFlow(network, config, MESSAGE_BYTES)) {
      BulkFlow.run(network, lateRounds * rttNs);
      try (BulkFlow late = new BulkFlow(network, config, MESSAGE_BYTES)) {
        BulkFlow.run(network, 50 * rttNs);
        old.mark();
        late.mark();
        BulkFlow.run(network, 200 * rttNs);
        double both = old.goodput() + late.goodput();
        double part = old.goodput() / both;
        System.out.printf(
            "%s, %s: the older flow's part %.3f, both %.1f %%%n",
            fabric, path, part, 100 * both / rate);
        assertTrue(both >= 0.9 * rate, "both have " + both / rate);
        assertEquals(part, 0.5, 0.05, path);
      }
    }
  }

  @Test
  public void shouldTakeWhatATrafficThatDoesNotYieldLeaves() {
    long rate = 8 * GBIT;
    SimulatedNetwork network = network(rate, 1_000_000, 1_000_000, 0);
    SimulatedTraffic.run(network, 0, 1, 4170, rate / 2, 100_000_000, 1_000_000_000);
    try (BulkFlow flow = new BulkFlow(network, CONFIG, MESSAGE_BYTES)) {
      double goodput = measure(network, flow, 1_000_000, 300) / (rate * 0.5);
      report("half of the link is taken", goodput, flow);
      assertTrue(goodput >= 0.9, "goodput " + goodput);
    }
  }

  /**
   * The shortest round trip is forgotten every 10 to 20 s: the next must not be that of a queue.
   */
  @Test
  public void shouldNotTakeItsOwnQueueForThePath() {
    long rate = 2_500_000;
    SimulatedNetwork network = network(rate, 40_000_000, LONG_QUEUE, 0);
    try (BulkFlow flow = new BulkFlow(network, CONFIG, MESSAGE_BYTES)) {
      double goodput = measure(network, flow, 40_000_000, 1500) / rate;
      report("80 s, a BDP of 24 chunks", goodput, flow);
      assertTrue(flow.windowChunks() <= 48, "window " + flow.windowChunks());
      assertTrue(goodput >= 0.9, "goodput " + goodput);
    }
  }

  /** Drains keep the path's own round trip known, for a minute, or with -Pdeep for an hour. */
  @Test
  public void shouldNotDriftHoweverLongItRuns() {
    int most = mostChunks(new ProtocolParts(), DEEP ? 3600 : MINUTE);
    assertTrue(most <= MOST_CHUNKS, "window " + most);
  }

  /**
   * The largest window in {@code seconds} on a path of 10 ms at 500 kB/s, looked at each second.
   */
  static int mostChunks(ProtocolParts parts, int seconds) {
    SimulatedNetwork network = network(500_000, 10_000_000, LONG_QUEUE, 0);
    try (BulkFlow flow = new BulkFlow(network, CONFIG, parts, MESSAGE_BYTES)) {
      int most = 0;
      for (int second = 0; second < seconds; second++) {
        BulkFlow.run(network, 1_000_000_000);
        most = Math.max(most, flow.windowChunks());
      }
      System.out.printf("%d s, a BDP of 1.2 chunks: window %d at most%n", seconds, most);
      return most;
    }
  }

  @DataProvider
  Object[][] besideBulk() {
    return overEach(
        new Object[][] {
          {8 * GBIT, 1_000_000, 1_000_000}, {25 * GBIT, 20_000, 128 << 10},
        });
  }

  /** Small messages wait for a queue that a bulk flow keeps, and for no more. */
  @Test(dataProvider = "besideBulk")
  public void shouldLetSmallMessagesPassABulkFlow(
      String fabric, long rate, long rttNs, long queueBytes) {
    SimulatedNetwork network = network(rate, rttNs, queueBytes, 0);
    ProtocolConfig config = FABRICS.get(fabric);
    try (SmallFlow small = new SmallFlow(network, config);
        BulkFlow bulk = new BulkFlow(network, config, MESSAGE_BYTES)) {
      BulkFlow.run(network, 50 * rttNs);
      small.begin();
      BulkFlow.run(network, 3000 * rttNs);
      long queueNs = queueBytes * 1_000_000_000 / rate;
      System.out.printf(
          "%s: small messages beside a bulk flow: %d, p50 %.0f µs, p99 %.0f µs; bulk window %d%n",
          fabric,
          small.messages(),
          small.percentileNs(50) / 1e3,
          small.percentileNs(99) / 1e3,
          bulk.windowChunks());
      assertTrue(small.messages() > 500, small.messages() + " messages");
      assertTrue(small.percentileNs(99) <= 3 * rttNs + queueNs, "p99");
    }
  }

  /** {@code all}, over each of the fabrics. */
  private static Object[][] overEach(Object[][] all) {
    return FABRICS.keySet().stream()
        .flatMap(fabric -> Stream.of(all).map(row -> ObjectArrays.concat(fabric, row)))
        .toArray(Object[][]::new);
  }

  private static Object[][] unlessLong(Object[][] all, Predicate<Object[]> isLong) {
    return Stream.of(all).filter(row -> FULL || !isLong.test(row)).toArray(Object[][]::new);
  }

  private static SimulatedNetwork network(long rate, long rttNs, long queueBytes, double loss) {
    return new SimulatedNetwork(SEED, path(rate, rttNs, queueBytes).withLoss(loss), 2);
  }

  private static FaultPlan path(long rate, long rttNs, long queueBytes) {
    return FaultPlan.calm(rttNs / 2).withRate(rate, queueBytes);
  }

  /** Payload bytes a second over {@code rounds} round trips, after a third of that. */
  private static double measure(SimulatedNetwork network, BulkFlow flow, long rttNs, int rounds) {
    BulkFlow.run(network, rounds / 3 * rttNs);
    flow.mark();
    BulkFlow.run(network, rounds * rttNs);
    assertNull(flow.failure());
    return flow.goodput();
  }

  private static void report(String path, double goodput, BulkFlow flow) {
    System.out.printf(
        "%s: goodput %.1f %%, repeats %.2f %%, window %d%n",
        path, 100 * goodput, 100 * flow.repeats(), flow.windowChunks());
  }
}
