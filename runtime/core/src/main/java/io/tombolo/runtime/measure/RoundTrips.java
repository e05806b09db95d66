// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.measure;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.calibration.LineFit;
import io.tombolo.topology.machine.LinkCost;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/** Times messages of several sizes there and back; both ends run it alike. */
final class RoundTrips {
  /** The largest message. */
  static final long MAX_BYTES = 2 << 20;

  private static final ImmutableList<Long> SIZES =
      ImmutableList.of(8L, 4L << 10, 64L << 10, 512L << 10, MAX_BYTES);
  private static final int WARMUP = 3;
  private static final int FEW = 8;
  private static final int MANY = 24;

  private RoundTrips() {}

  /**
   * What one way costs: the median of half the round trips of each size, and the line through them.
   *
   * @param roundTrip sends so many bytes and waits until as many came back
   */
  static LinkCost time(LongConsumer roundTrip) {
    SortedMap<Long, Long> timeNsOfSize = new TreeMap<>();
    for (long sizeBytes : SIZES) {
      for (int i = 0; i < WARMUP; i++) {
        roundTrip.accept(sizeBytes);
      }
      long[] timesNs = new long[sizeBytes > 64 << 10 ? FEW : MANY];
      for (int i = 0; i < timesNs.length; i++) {
        long startNs = System.nanoTime();
        roundTrip.accept(sizeBytes);
        timesNs[i] = (System.nanoTime() - startNs) / 2;
      }
      Arrays.sort(timesNs);
      timeNsOfSize.put(sizeBytes, timesNs[timesNs.length / 2]);
    }
    return LineFit.of(timeNsOfSize);
  }
}
