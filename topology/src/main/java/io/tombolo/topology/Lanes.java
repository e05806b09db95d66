// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import com.google.common.collect.ImmutableList;
import java.math.BigInteger;
import java.util.List;

/**
 * Cuts vectors into lanes. Each cluster shares a vector out among its relays by their weights; the
 * lanes are the common refinement of these partitions. Relays stand in order of their rails, so
 * clusters with equal NICs meet rail by rail.
 */
final class Lanes {
  private static final BigInteger WHOLE = BigInteger.valueOf(Lane.WHOLE);

  private Lanes() {}

  /** The lanes of clusters with these relays, by cluster index; none is empty. */
  static ImmutableList<Lane> refine(List<ImmutableList<Relay>> relaysOfCluster) {
    if (relaysOfCluster.isEmpty()) {
      return ImmutableList.of();
    }
    List<long[]> ends = relaysOfCluster.stream().map(Lanes::ends).toList();
    int[] at = new int[ends.size()];
    ImmutableList.Builder<Lane> lanes = ImmutableList.builder();
    for (long from = 0; from < Lane.WHOLE; ) {
      long to = Lane.WHOLE;
      ImmutableList.Builder<Relay> relays = ImmutableList.builder();
      for (int cluster = 0; cluster < at.length; cluster++) {
        while (ends.get(cluster)[at[cluster]] <= from) {
          at[cluster]++;
        }
        to = Math.min(to, ends.get(cluster)[at[cluster]]);
        relays.add(relaysOfCluster.get(cluster).get(at[cluster]));
      }
      lanes.add(new Lane(from, to, relays.build()));
      from = to;
    }
    return lanes.build();
  }

  /** Where each relay's part ends: equal fractions end at equal places, whatever the weights. */
  private static long[] ends(List<Relay> relays) {
    long total = relays.stream().mapToLong(Relay::megabytesPerSecond).sum();
    long[] ends = new long[relays.size()];
    long sum = 0;
    for (int i = 0; i < ends.length; i++) {
      sum += relays.get(i).megabytesPerSecond();
      ends[i] =
          BigInteger.valueOf(sum)
              .multiply(WHOLE)
              .divide(BigInteger.valueOf(total))
              .longValueExact();
    }
    return ends;
  }
}
