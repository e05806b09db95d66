// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertNull;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ObjectArrays;
import io.tombolo.base.CloseStack;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Many flows of ours on one link, which come one after the other, with what each fabric believes to
 * be noise. Simulated time, one seed, packets of 4 KiB. How equal shares are is Jain's index: 1
 * where all have the same, 1/n where one of n has all.
 */
public class CrowdedLinkTest {
  private static final long GBIT = 125_000_000;
  private static final int MESSAGE_BYTES = 4 << 20;
  private static final long SEED = 7;
  private static final ProtocolConfig CONFIG = ProtocolConfig.of(Shape.DATAGRAM, 4096);

  /** Round trips from one that comes to the next, until all have settled, and those that count. */
  private static final int BETWEEN = 50;

  private static final int SETTLING = 800;
  private static final int ROUNDS = 400;

  /** The round trip of who is near, and how much longer each way is of who is far: 4 ms in all. */
  private static final long NEAR_NS = 1_000_000;

  private static final long FAR_NS = 1_500_000;

  /** Otherwise one fabric, whose plays differ little from the others' here. */
  private static final boolean FULL = Boolean.getBoolean("tombolo.full");

  private static final String USUAL = "uc, ud";

  private static final ImmutableMap<String, ProtocolConfig> FABRICS =
      ImmutableMap.of(
          "4 µs",
          CONFIG,
          USUAL,
          CONFIG.toBuilder().flight(512, 200_000).build(),
          "udp",
          CONFIG.toBuilder().flight(512, 1_000_000).build());

  @DataProvider
  Object[][] crowds() {
    return overEach(
        new Object[][] {
          {8, "25 Gbit, 20 µs, 512 KiB", 25 * GBIT, 20_000, 512 << 10, 0.8, 0.03},
          {8, "8 Gbit, 1 ms, 512 KiB", 8 * GBIT, 1_000_000, 512 << 10, 0.98, 0.002},
          {16, "8 Gbit, 1 ms, 512 KiB", 8 * GBIT, 1_000_000, 512 << 10, 0.98, 0.005},
          {8, "8 Gbit, 1 ms, 2 MiB", 8 * GBIT, 1_000_000, 2 << 20, 0.98, 0.002},
          {16, "8 Gbit, 1 ms, 2 MiB", 8 * GBIT, 1_000_000, 2 << 20, 0.98, 0.002},
        });
  }

  @Test(dataProvider = "crowds")
  public void shouldShareALinkAmongMany(
      String fabric,
      int flows,
      String path,
      long rate,
      long rttNs,
      long queueBytes,
      double leastJain,
      double mostRepeats) {
    SimulatedNetwork network = network(rate, rttNs, queueBytes);
    Shares shares = play(network, FABRICS.get(fabric), rttNs, new long[flows]);
    report("%s: %d flows, %s".formatted(fabric, flows, path), shares, rate);
    assertTrue(shares.goodput >= 0.9 * rate, path + ": all have " + shares.goodput / rate);
    assertTrue(shares.jain >= leastJain, path + ": Jain's index " + shares.jain);
    assertTrue(shares.repeats <= mostRepeats, path + ": repeats " + shares.repeats);
  }

  @DataProvider
  Object[][] floods() {
    return overEach(
        new Object[][] {
          {8, "25 Gbit, 20 µs, 128 KiB", 25 * GBIT, 20_000, 128 << 10, 0.03},
          {16, "25 Gbit, 20 µs, 128 KiB", 25 * GBIT, 20_000, 128 << 10, 0.1},
          {16, "25 Gbit, 20 µs, 512 KiB", 25 * GBIT, 20_000, 512 << 10, 0.03},
          {8, "8 Gbit, 1 ms, 128 KiB", 8 * GBIT, 1_000_000, 128 << 10, 0.02},
          {16, "8 Gbit, 1 ms, 128 KiB", 8 * GBIT, 1_000_000, 128 << 10, 0.03},
        });
  }

  /**
   * More than find room for five chunks each in the queue: they fill it for each other, so that
   * what they lose looks like chance. The link stays full, and nobody is given up. Few are repeats,
   * except where there is no room for the least window of each: 16 times 4 chunks are more than the
   * 46 that the shortest path and its queue hold. How unequal they are is printed, and has no
   * bound.
   */
  @Test(dataProvider = "floods")
  public void shouldKeepALinkFullThatManyFlood(
      String fabric,
      int flows,
      String path,
      long rate,
      long rttNs,
      long queueBytes,
      double mostRepeats) {
    SimulatedNetwork network = network(rate, rttNs, queueBytes);
    Shares shares = play(network, FABRICS.get(fabric), rttNs, new long[flows]);
    report("%s: %d flows flood %s".formatted(fabric, flows, path), shares, rate);
    assertTrue(shares.goodput >= 0.9 * rate, path + ": all have " + shares.goodput / rate);
    assertTrue(shares.repeats <= mostRepeats, path + ": repeats " + shares.repeats);
  }

  /** Who rests, as others filled the queue, need not do so any longer when they are gone. */
  @Test
  public void shouldUseALinkThatTheOthersHaveLeft() {
    long rate = 8 * GBIT;
    SimulatedNetwork network = network(rate, NEAR_NS, 128 << 10);
    List<BulkFlow> flows = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      flows.add(new BulkFlow(network, FABRICS.get(USUAL), 16 << 10));
      BulkFlow.run(network, BETWEEN * NEAR_NS);
    }
    BulkFlow.run(network, 600 * NEAR_NS);
    BulkFlow left = flows.get(15);
    flows.stream().filter(flow -> flow != left).forEach(BulkFlow::stop);
    BulkFlow.run(network, 50 * NEAR_NS);
    left.mark();
    BulkFlow.run(network, 50 * NEAR_NS);
    System.out.printf("15 of 16 have left: %.1f %%%n", 100 * left.goodput() / rate);
    assertTrue(left.goodput() >= 0.2 * rate, "the last has " + left.goodput() / rate);
    flows.forEach(BulkFlow::close);
  }

  /** Chance is learnt from drains beside others, too. */
  @Test
  public void shouldShareALossyLinkAmongMany() {
    long rate = 8 * GBIT;
    FaultPlan plan = FaultPlan.calm(NEAR_NS / 2).withRate(rate, 2 << 20).withLoss(0.01);
    SimulatedNetwork network = new SimulatedNetwork(SEED, plan, 2);
    Shares shares = play(network, FABRICS.get(USUAL), NEAR_NS, new long[8]);
    report("8 flows, 8 Gbit, 1 ms, 2 MiB, loss 0.01", shares, rate);
    assertTrue(shares.goodput >= 0.9 * rate, "all have " + shares.goodput / rate);
    assertTrue(shares.jain >= 0.98, "Jain's index " + shares.jain);
  }

  @DataProvider
  Object[][] distances() {
    return overEach(
        new Object[][] {
          {"near and far, 1 MB", 1_000_000, new long[] {0, FAR_NS}},
          {"far and near, 1 MB", 1_000_000, new long[] {FAR_NS, 0}},
          {"near and far, 4 MB", 4_000_000, new long[] {0, FAR_NS}},
          {"4 of each, 1 MB", 1_000_000, new long[] {0, FAR_NS, 0, FAR_NS, 0, FAR_NS, 0, FAR_NS}},
        });
  }

  /** Of which some have peers that are four times as far away; the link is of 8 Gbit/s. */
  @Test(dataProvider = "distances")
  public void shouldShareALinkWithThoseWhosePeersAreFar(
      String fabric, String path, long queueBytes, long[] fartherNs) {
    long rate = 8 * GBIT;
    SimulatedNetwork network = network(rate, NEAR_NS, queueBytes);
    Shares shares = play(network, FABRICS.get(fabric), 4 * NEAR_NS, fartherNs);
    report(fabric + ": " + path, shares, rate);
    assertTrue(shares.goodput >= 0.9 * rate, path + ": all have " + shares.goodput / rate);
    assertTrue(shares.least >= 0.5, path + ": one has " + shares.least + " of what is fair");
    assertTrue(shares.repeats <= 0.002, path + ": repeats " + shares.repeats);
  }

  /** One flow for each of {@code fartherNs}, of which none takes more than {@code rttNs}. */
  private static Shares play(
      SimulatedNetwork network, ProtocolConfig config, long rttNs, long[] fartherNs) {
    List<BulkFlow> flows = new ArrayList<>();
    try (CloseStack stack = new CloseStack()) {
      for (long ns : fartherNs) {
        BulkFlow flow = stack.opened(new BulkFlow(network, config, MESSAGE_BYTES));
        flow.farther(ns);
        flows.add(flow);
        BulkFlow.run(network, BETWEEN * rttNs);
      }
      BulkFlow.run(network, SETTLING * rttNs);
      flows.forEach(BulkFlow::mark);
      BulkFlow.run(network, ROUNDS * rttNs);
      flows.forEach(flow -> assertNull(flow.failure()));
      return Shares.of(flows);
    }
  }

  private static SimulatedNetwork network(long rate, long rttNs, long queueBytes) {
    return new SimulatedNetwork(SEED, FaultPlan.calm(rttNs / 2).withRate(rate, queueBytes), 2);
  }

  private static void report(String name, Shares shares, long rate) {
    System.out.printf(
        "%s: all %.1f %%, Jain's index %.3f, each %.2f to %.2f of what is fair, the first %.2f,"
            + " repeats %.2f %%%n",
        name,
        100 * shares.goodput / rate,
        shares.jain,
        shares.least,
        shares.most,
        shares.first,
        100 * shares.repeats);
  }

  /** {@code all}, over each of the fabrics that are played. */
  private static Object[][] overEach(Object[][] all) {
    return FABRICS.keySet().stream()
        .filter(fabric -> FULL || fabric.equals(USUAL))
        .flatMap(fabric -> Stream.of(all).map(row -> ObjectArrays.concat(fabric, row)))
        .toArray(Object[][]::new);
  }

  /** What all flows have together, how equally, and the mean of their parts that were repeats. */
  private record Shares(
      double goodput, double jain, double least, double most, double first, double repeats) {
    static Shares of(List<BulkFlow> flows) {
      double sum = flows.stream().mapToDouble(BulkFlow::goodput).sum();
      double squares = flows.stream().mapToDouble(BulkFlow::goodput).map(one -> one * one).sum();
      double fair = sum / flows.size();
      long sent = flows.stream().mapToLong(BulkFlow::sent).sum();
      long resent = flows.stream().mapToLong(BulkFlow::resent).sum();
      return new Shares(
          sum,
          sum * fair / squares,
          flows.stream().mapToDouble(BulkFlow::goodput).min().orElseThrow() / fair,
          flows.stream().mapToDouble(BulkFlow::goodput).max().orElseThrow() / fair,
          flows.get(0).goodput() / fair,
          (double) resent / sent);
    }
  }
}
