// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.calibration;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.math.LongMath;
import io.tombolo.topology.machine.LinkCost;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * Puts the line α + β·bytes through times that were measured. 1/β is the median of the bandwidths
 * between every two sizes of which the greater is large (the estimator of Theil and Sen), so one
 * disturbed size does not spoil it; α is what the smallest size took beyond its bytes.
 */
public final class LineFit {
  /** Below this a time says more about latency than about bandwidth. */
  private static final long LARGE_BYTES = 64 << 10;

  private static final long PICOSECONDS = 1_000_000;

  private LineFit() {}

  /**
   * The line for {@code timeNsOfSize}, nanoseconds by bytes.
   *
   * @throws IllegalArgumentException unless there are two sizes, the greater of at least 64 KiB
   */
  public static LinkCost of(SortedMap<Long, Long> timeNsOfSize) {
    checkArgument(
        timeNsOfSize.size() >= 2 && timeNsOfSize.lastKey() >= LARGE_BYTES,
        "a line needs a small and a large size, not %s",
        timeNsOfSize.keySet());
    int width = megabytesPerSecond(timeNsOfSize);
    long smallest = timeNsOfSize.firstKey();
    long timePs = LongMath.saturatedMultiply(Math.max(0, timeNsOfSize.get(smallest)), 1_000);
    long transferPs = new LinkCost(0, width).timePs(smallest);
    return new LinkCost(Math.max(0, timePs - transferPs), width);
  }

  private static int megabytesPerSecond(SortedMap<Long, Long> timeNsOfSize) {
    List<Long> widths = new ArrayList<>();
    for (Map.Entry<Long, Long> large : timeNsOfSize.tailMap(LARGE_BYTES).entrySet()) {
      for (Map.Entry<Long, Long> small : timeNsOfSize.headMap(large.getKey()).entrySet()) {
        long timeNs = large.getValue() - small.getValue();
        if (timeNs > 0) {
          widths.add(width(large.getKey() - small.getKey(), timeNs));
        }
      }
    }
    if (widths.isEmpty()) { // larger was not slower: so fast that only the largest tells anything
      long largest = timeNsOfSize.lastKey();
      return bounded(width(largest, Math.max(1, timeNsOfSize.get(largest))));
    }
    widths.sort(null);
    return bounded(widths.get(widths.size() / 2));
  }

  private static long width(long sizeBytes, long timeNs) {
    return LongMath.divide(sizeBytes * (PICOSECONDS / 1_000), timeNs, RoundingMode.HALF_UP);
  }

  private static int bounded(long width) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, width));
  }
}
