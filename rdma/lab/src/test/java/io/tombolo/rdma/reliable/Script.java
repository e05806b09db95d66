// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import com.google.common.primitives.ImmutableIntArray;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedNic;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.util.List;
import java.util.SplittableRandom;

/** What one seed wants: constants, faults, the sizes of the messages each way, and of the NICs. */
record Script(
    long seed,
    ProtocolConfig config,
    FaultPlan plan,
    List<ImmutableIntArray> sizes,
    int slabSlots,
    List<SimulatedNic> nics) {
  private static final int[] SEND_DEPTHS = {4, 32, 512};
  private static final int[] RECEIVE_DEPTHS = {8, 64, 2048};
  private static final int[] COMPLETION_DEPTHS = {16, 128, 4096};
  private static final int[] INLINE_BYTES = {0, 64, 96, 128};

  /** Binding a window, or registering again where there is none. */
  private static final long[] BIND_NS = {SimulatedNic.NO_WINDOWS, 5_000, 100_000};

  static Script of(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    boolean lackUc = random.nextBoolean();
    long firstPsn =
        switch (random.nextInt(3)) {
          case 0 -> 0;
          case 1 -> (1L << PsnSpace.IMMEDIATE_BITS) - random.nextInt(1, 60);
          default -> (1L << PsnSpace.PACKET_BITS) - random.nextInt(1, 60);
        };
    ProtocolConfig config =
        new ProtocolConfig(
            lackUc ? Shape.DATAGRAM : Shape.PLACES_REMOTELY,
            1024,
            1 << random.nextInt(1, 6),
            1 << random.nextInt(4, 9),
            8192,
            50_000,
            random.nextInt(2, 9),
            200_000,
            random.nextBoolean() ? 3 : 0,
            4,
            100_000,
            50_000_000,
            60_000_000_000L,
            ProtocolConfig.Congestion.DELAY,
            firstPsn);
    List<ImmutableIntArray> sizes = List.of(sizes(random), sizes(random));
    return new Script(
        seed, config, FaultPlan.wild(random), sizes, 1 << random.nextInt(6), nics(random, lackUc));
  }

  /** Two NICs; if they cannot both write, the first has no unreliable connections, or neither. */
  private static List<SimulatedNic> nics(SplittableRandom random, boolean lackUc) {
    SimulatedNic first = nic(random, !lackUc);
    return List.of(first, nic(random, !lackUc || random.nextBoolean()));
  }

  private static SimulatedNic nic(SplittableRandom random, boolean hasUc) {
    return new SimulatedNic(
        drawn(SEND_DEPTHS, random),
        drawn(RECEIVE_DEPTHS, random),
        drawn(COMPLETION_DEPTHS, random),
        drawn(INLINE_BYTES, random),
        BIND_NS[random.nextInt(BIND_NS.length)],
        hasUc);
  }

  private static int drawn(int[] from, SplittableRandom random) {
    return from[random.nextInt(from.length)];
  }

  private static ImmutableIntArray sizes(SplittableRandom random) {
    int[] sizes = new int[random.nextInt(0, 13)];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] =
          switch (random.nextInt(6)) {
            case 0 -> random.nextInt(3);
            case 1 -> 1024 * random.nextInt(20) + random.nextInt(-1, 2) & 0x7fff;
            case 2 -> random.nextInt(60_000, 80_000);
            default -> random.nextInt(20_000);
          };
    }
    return ImmutableIntArray.copyOf(sizes);
  }

  @Override
  public String toString() {
    return "seed " + seed + " (" + config.shape() + ", " + plan + ", " + nics + ")";
  }
}
