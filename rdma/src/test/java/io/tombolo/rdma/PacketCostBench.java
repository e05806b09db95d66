// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;

/**
 * What a packet costs the thread that drives a fabric, whatever the NIC takes for it: processor
 * time of rounds that did something; idle ones do not count. Prints, for each fabric and side, ns a
 * packet and µs a MB, the median over windows of {@value #WINDOW} packets and more; and the same in
 * cycles, if {@code -Dtombolo.cyclesPerNs} says how many there are, see bench/verbs/packets. Its
 * arguments are names of {@link Kind}.
 */
public final class PacketCostBench {
  static final int WINDOW = 256;

  private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
  private static final long CLOCK_NS = clockNs();
  private static final int SIZE = 1 << 20;
  private static final int MESSAGES = 192;
  private static final int WARM = 96;
  private static final double CYCLES_PER_NS =
      Double.parseDouble(System.getProperty("tombolo.cyclesPerNs", "0"));
  private static final double PACKETS_PER_MB = 1e6 / 4096;

  private final Fabric fabric;
  private final long[] samples = new long[MESSAGES * SIZE / 4096];
  private int taken;
  private long busyNs;
  private long packets;
  private long sampledPackets;

  private PacketCostBench(Fabric fabric) {
    this.fabric = fabric;
  }

  public static void main(String[] kinds) {
    for (String kind : kinds) {
      measure(Kind.valueOf(kind));
    }
  }

  private static void measure(Kind kind) {
    try (FabricPair pair = new FabricPair(kind, SlotGeometry.DEFAULT);
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(1).registered();
        TestMemory target = new TestMemory(SIZE, 0, 0).registered()) {
      PacketCostBench sender = new PacketCostBench(pair.low);
      PacketCostBench receiver = new PacketCostBench(pair.high);
      Log log = new Log();
      for (int message = 0; message < MESSAGES; message++) {
        pair.fromHigh.receive(message, target, 0, SIZE);
        pair.fromLow.send(message, source, 0, SIZE);
        long sent = log.sent.size();
        long received = log.received.size();
        while (log.sent.size() == sent || log.received.size() == received) {
          sender.round(pair.fromLow.sentBytes());
          receiver.round(pair.fromHigh.receivedBytes());
          pair.fromLow.poll(log);
          pair.fromHigh.poll(log);
        }
        if (message == WARM) {
          sender.taken = 0;
          receiver.taken = 0;
        }
      }
      System.out.printf("%-8s sending %s; receiving %s%n", kind, sender.cost(), receiver.cost());
    }
  }

  /** What it takes to read the clock, the least of many. */
  private static long clockNs() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 10_000; i++) {
      long fromNs = CLOCK.getCurrentThreadCpuTime();
      least = Math.min(least, CLOCK.getCurrentThreadCpuTime() - fromNs);
    }
    return least;
  }

  private void round(long bytes) {
    long fromNs = CLOCK.getCurrentThreadCpuTime();
    int did = fabric.progress();
    if (did > 0) {
      busyNs += CLOCK.getCurrentThreadCpuTime() - fromNs - CLOCK_NS;
      packets = bytes / 4096;
      sample();
    }
  }

  private void sample() {
    long since = packets - sampledPackets;
    if (since >= WINDOW) {
      samples[taken++] = busyNs * 1000 / since;
      sampledPackets = packets;
      busyNs = 0;
    }
  }

  private String cost() {
    double packetNs = packetNs();
    double megabyteUs = packetNs * PACKETS_PER_MB / 1000;
    String cost =
        String.format(Locale.ROOT, "%5.0f ns a packet, %6.1f us a MB", packetNs, megabyteUs);
    return CYCLES_PER_NS == 0
        ? cost
        : cost
            + String.format(
                Locale.ROOT,
                " (%5.0f and %7.0f cycles)",
                packetNs * CYCLES_PER_NS,
                megabyteUs * 1000 * CYCLES_PER_NS);
  }

  private double packetNs() {
    long[] sorted = Arrays.copyOf(samples, taken);
    Arrays.sort(sorted);
    return sorted[taken / 2] / 1000.0;
  }
}
