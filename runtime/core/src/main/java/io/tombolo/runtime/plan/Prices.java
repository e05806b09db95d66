// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.math.IntMath;
import com.google.common.math.LongMath;
import io.tombolo.base.Primitive;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.calibration.PathKind;
import io.tombolo.topology.machine.LinkCost;
import java.math.RoundingMode;
import java.util.stream.IntStream;

/**
 * What a cluster's resources cost, in whole picoseconds: as measured where there are figures, else
 * the nominal ones below, which are those of common data-centre machines.
 *
 * @param vendor a message between two members through their library
 * @param copy the device's copy engine
 * @param host the host's arithmetic
 * @param near a message to a rank of another cluster on the same host
 * @param far a message to a rank of another cluster on another host
 */
record Prices(LinkCost vendor, LinkCost copy, LinkCost host, LinkCost near, LinkCost far) {
  private static final LinkCost NOMINAL_VENDOR = new LinkCost(10_000_000, 100_000);
  private static final LinkCost NOMINAL_COPY = new LinkCost(8_000_000, 20_000);
  private static final LinkCost NOMINAL_HOST = new LinkCost(500_000, 10_000);
  private static final LinkCost NOMINAL_NEAR = new LinkCost(2_000_000, 10_000);
  private static final LinkCost NOMINAL_FAR = new LinkCost(5_000_000, 12_500);

  static Prices of(PlanContext context, Cluster cluster) {
    Calibration calibration = context.calibration();
    boolean network = spansHosts(context.clustering(), cluster);
    return new Prices(
        calibration.cost(PathKind.VENDOR, cluster.vendor(), network).orElse(NOMINAL_VENDOR),
        calibration.cost(PathKind.COPY, cluster.vendor(), false).orElse(NOMINAL_COPY),
        NOMINAL_HOST,
        calibration.typical(PathKind.FABRIC, false).orElse(NOMINAL_NEAR),
        calibration.typical(PathKind.FABRIC, true).orElse(NOMINAL_FAR));
  }

  /** A message to another cluster's rank, on this host or not. */
  LinkCost message(boolean sameHost) {
    return sameHost ? near : far;
  }

  /**
   * A call of the library by {@code members}, the largest buffer of which has {@code sizeBytes}: as
   * many rounds as a tree has levels, and through each member what a ring takes there.
   */
  long vendorPs(Primitive primitive, int members, long sizeBytes) {
    int passes = primitive == Primitive.ALL_REDUCE ? 2 : 1;
    long moved =
        switch (primitive) {
          case ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER -> part(sizeBytes, members - 1, members);
          case REDUCE, BROADCAST, ALL_TO_ALL, GATHER, SCATTER, SEND, RECEIVE ->
              members == 1 ? 0 : sizeBytes;
        };
    int rounds = passes * Math.max(1, IntMath.log2(members, RoundingMode.CEILING));
    long waiting = LongMath.saturatedMultiply(vendor.latencyPs(), rounds);
    return LongMath.saturatedAdd(waiting, transferPs(vendor, passes * moved));
  }

  /**
   * A call of the host library by all ranks, the largest buffer of which has {@code sizeBytes}:
   * each rank reads as much of the others' memory as it writes.
   */
  long flatPs(long sizeBytes) {
    return near.timePs(LongMath.saturatedMultiply(2L, sizeBytes));
  }

  /** β alone: how long {@code sizeBytes} occupy what costs {@code cost}. */
  static long transferPs(LinkCost cost, long sizeBytes) {
    return new LinkCost(0, cost.megabytesPerSecond()).timePs(sizeBytes);
  }

  /** {@code bytes} × {@code numerator} / {@code denominator}, as far as a long goes. */
  static long part(long bytes, long numerator, long denominator) {
    return LongMath.saturatedMultiply(bytes, numerator) / denominator;
  }

  /** Whether all ranks are on one host. */
  static boolean oneHost(Clustering clustering) {
    String first = clustering.site(0).hostId();
    return IntStream.range(0, clustering.size())
        .allMatch(rank -> clustering.site(rank).hostId().equals(first));
  }

  private static boolean spansHosts(Clustering clustering, Cluster cluster) {
    String first = clustering.site(cluster.rank(0)).hostId();
    return cluster.ranks().stream().anyMatch(rank -> !clustering.site(rank).hostId().equals(first));
  }
}
